"""All calls by name, and a call from what came over a wire."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ternmq.base.errors import RemoteProtocolError, mq_error
from ternmq.base.limits import MQSC_CHARACTERS_MAX
from ternmq.base.reasons import MQRC_BUFFER_LENGTH_ERROR
from ternmq.values.calls import (
    administration,
    awaiting,
    lists,
    messages,
    objects,
    streams,
    topics,
    units,
)
from ternmq.values.calls.call import WAIT_PIECE_S, Call
from ternmq.values.calls.kinds import ARGUMENTS, KINDS

CALLS: Final[dict[str, Callable[..., Call]]] = {
    "await_messages": awaiting.AwaitMessages,
    "back_out": units.BackOut,
    "begin": units.Begin,
    "checkpoint": administration.Checkpoint,
    "close": objects.Close,
    "command": administration.RunCommands,
    "commit": units.Commit,
    "commit_batch": units.CommitBatch,
    "cursor_advance": streams.CursorAdvance,
    "cursor_delete": streams.CursorDelete,
    "cursor_open": streams.CursorOpen,
    "cursor_reset": streams.CursorReset,
    "delete_log_extents": administration.DeleteLogExtents,
    "disconnect": units.Disconnect,
    "end_prepared": units.EndPrepared,
    "forget": units.Forget,
    "get": messages.Get,
    "groups": objects.InquireGroups,
    "inquire": objects.Inquire,
    "log_extents": administration.InquireLogExtents,
    "log_status": administration.InquireLogStatus,
    "multicast": topics.InquireMulticast,
    "multicast_report": topics.ReportMulticast,
    "object_files": administration.InquireObjectFiles,
    "open": objects.Open,
    "open_list": lists.OpenList,
    "prepare": units.Prepare,
    "put": messages.Put,
    "put1": messages.Put1,
    "put_deferred": messages.PutDeferred,
    "put1_list": lists.Put1List,
    "put_list": lists.PutList,
    "record_image": administration.RecordImage,
    "recover": units.Recover,
    "recreate": administration.Recreate,
    "report": administration.InquireReport,
    "request_publications": topics.RequestPublications,
    "set": objects.SetAttributes,
    "similar_queues": objects.FindSimilarQueues,
    "smf_read": administration.ReadSMF,
    "smf_status": administration.InquireSMF,
    "smf_switch": administration.SwitchSMF,
    "status": administration.InquirePuts,
    "storage_status": objects.InquireStorage,
    "stream_bounds": streams.StreamBounds,
    "stream_close": streams.StreamClose,
    "stream_queues": streams.StreamQueues,
    "stream_read": streams.StreamRead,
    "subscribe": topics.Subscribe,
    "units_in_doubt": units.InquireUnitsInDoubt,
    "widen": objects.Widen,
}
# Each protocol has a form of its own for these.
OWN_FORM: Final = frozenset(
    ("disconnect", "get", "put", "put1", "put1_list", "put_deferred", "put_list")
)


def call_from(name: object, given: dict[str, Any]) -> Call:
    """The call that a request asks for; RemoteProtocolError if it does not fit the table. One that
    waits does so for a piece of its time: the caller asks again."""
    fields = ARGUMENTS.get(name) if isinstance(name, str) else None
    if not isinstance(name, str) or fields is None or name in OWN_FORM:
        raise RemoteProtocolError(f"there is no call {name!r}")
    arguments: dict[str, Any] = {}
    for field in fields:
        if field.name not in given:
            raise RemoteProtocolError(f"call {name}: {field.name} is missing")
        try:
            arguments[field.name] = KINDS[field.kind].from_json(given[field.name])
        except (TypeError, ValueError) as error:
            raise RemoteProtocolError(f"call {name}: {field.name} is {error}") from error
    try:
        call = CALLS[name](**arguments)
    except ValueError as error:  # our clients make the same call before they send it
        raise RemoteProtocolError(f"call {name}: {error}") from error
    if isinstance(call, administration.RunCommands) and len(call.text) > MQSC_CHARACTERS_MAX:
        raise mq_error(
            MQRC_BUFFER_LENGTH_ERROR,
            verb=call.verb,
            detail=f"{len(call.text)} characters of MQSC, a call takes {MQSC_CHARACTERS_MAX}",
        )
    call.wait_s = min(call.wait_s, WAIT_PIECE_S)
    return call
