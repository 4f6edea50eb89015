"""Which step carries out a call, and whose turn it needs: the verb table, together with `mqi.table`
(authority, options) and `values.calls.kinds` (arguments, results)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, final

from ternmq.mqi.steps import (
    administration,
    awaiting,
    groups,
    lists,
    messages,
    objects,
    similar_queues,
    streams,
    topics,
    units,
)
from ternmq.mqi.steps.step import Step
from ternmq.values.calls.call import Call

# Whose turn a step needs on its connection.
IN_UNIT: Final = 0  # it belongs to the unit of work: one that was backed out refuses it
BESIDE_UNIT: Final = 1  # it takes the connection, but does not belong to the unit, or ends it
ASIDE: Final = 2  # it asks about the queue manager: beside whatever verb is under way


@final
class StepRow:
    """One row."""

    __slots__ = ("make", "turn")

    def __init__(self, make: Callable[[Any], Step], turn: int) -> None:
        self.make = make
        self.turn = turn


STEPS: Final[dict[str, StepRow]] = {
    "await_messages": StepRow(awaiting.AwaitMessages, BESIDE_UNIT),
    "back_out": StepRow(units.BackOut, BESIDE_UNIT),
    "begin": StepRow(units.Begin, IN_UNIT),
    "checkpoint": StepRow(administration.Checkpoint, ASIDE),
    "close": StepRow(objects.Close, IN_UNIT),
    "command": StepRow(administration.RunCommands, BESIDE_UNIT),
    "commit": StepRow(units.Commit, IN_UNIT),
    "commit_batch": StepRow(units.CommitBatch, BESIDE_UNIT),
    "cursor_advance": StepRow(streams.AdvanceCursor, BESIDE_UNIT),
    "cursor_delete": StepRow(streams.DeleteCursor, BESIDE_UNIT),
    "cursor_open": StepRow(streams.OpenCursor, BESIDE_UNIT),
    "cursor_reset": StepRow(streams.ResetCursor, BESIDE_UNIT),
    "delete_log_extents": StepRow(administration.DeleteLogExtents, BESIDE_UNIT),
    "disconnect": StepRow(units.Disconnect, BESIDE_UNIT),
    "end_prepared": StepRow(units.EndPrepared, BESIDE_UNIT),
    "forget": StepRow(units.Forget, BESIDE_UNIT),
    "get": StepRow(messages.Get, IN_UNIT),
    "groups": StepRow(groups.InquireGroups, ASIDE),
    "inquire": StepRow(objects.Inquire, IN_UNIT),
    "log_extents": StepRow(administration.InquireLogExtents, ASIDE),
    "log_status": StepRow(administration.InquireLogStatus, ASIDE),
    "multicast": StepRow(topics.InquireMulticast, BESIDE_UNIT),
    "multicast_report": StepRow(topics.ReportMulticast, BESIDE_UNIT),
    "object_files": StepRow(administration.InquireObjectFiles, ASIDE),
    "open": StepRow(objects.Open, IN_UNIT),
    "open_list": StepRow(lists.OpenList, IN_UNIT),
    "prepare": StepRow(units.Prepare, IN_UNIT),
    "put": StepRow(messages.Put, IN_UNIT),
    "put1": StepRow(messages.Put1, IN_UNIT),
    "put_deferred": StepRow(messages.PutDeferred, IN_UNIT),
    "put1_list": StepRow(lists.Put1List, IN_UNIT),
    "put_list": StepRow(lists.PutList, IN_UNIT),
    "record_image": StepRow(administration.RecordImage, BESIDE_UNIT),
    "recover": StepRow(units.Recover, ASIDE),
    "recreate": StepRow(administration.Recreate, BESIDE_UNIT),
    "request_publications": StepRow(topics.RequestPublications, BESIDE_UNIT),
    "report": StepRow(administration.InquireReport, ASIDE),
    "set": StepRow(objects.SetAttributes, IN_UNIT),
    "similar_queues": StepRow(similar_queues.FindSimilarQueues, ASIDE),
    "smf_read": StepRow(administration.ReadSMF, ASIDE),
    "smf_status": StepRow(administration.InquireSMF, ASIDE),
    "smf_switch": StepRow(administration.SwitchSMF, ASIDE),
    "status": StepRow(administration.InquirePuts, IN_UNIT),
    "storage_status": StepRow(objects.InquireStorage, ASIDE),
    "stream_bounds": StepRow(streams.BoundsOfStream, BESIDE_UNIT),
    "stream_close": StepRow(streams.CloseStream, BESIDE_UNIT),
    "stream_queues": StepRow(streams.FindStreamQueues, BESIDE_UNIT),
    "stream_read": StepRow(streams.ReadStream, BESIDE_UNIT),
    "subscribe": StepRow(topics.Subscribe, BESIDE_UNIT),
    "units_in_doubt": StepRow(units.InquireUnitsInDoubt, ASIDE),
    "widen": StepRow(objects.Widen, IN_UNIT),
}


def step_of(call: Call) -> Step:
    """The step that carries out a call."""
    return STEPS[call.name].make(call)
