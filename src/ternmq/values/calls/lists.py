"""MQOPEN, MQPUT and MQPUT1 of distribution lists as calls.

What becomes of each destination is the answer; `answer` raises where no destination was opened or
got the message. The puts do not travel by name and JSON: each protocol has a form of its own.
"""

from __future__ import annotations

from typing import Any, final

from ternmq.base import constants as mq
from ternmq.base.errors import mq_error
from ternmq.base.reasons import MQRC_OBJECT_RECORDS_ERROR
from ternmq.codec.mqi.list_records import Destination, PutRecord, whole_record
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.values.calls.call import Call
from ternmq.values.calls.kinds import outcomes_from_json, outcomes_to_json
from ternmq.values.calls.objects import settle_names
from ternmq.values.distribution import (
    ListOutcome,
    Outcome,
    list_error,
    list_outcome,
    new_outcomes,
)
from ternmq.values.entry import Entry
from ternmq.values.handle import ObjectHandle
from ternmq.values.put_form import PutForm


def _check_records(destinations: list[Destination], verb: str) -> None:
    if not destinations:
        detail = "a distribution list has at least one destination"
        raise mq_error(MQRC_OBJECT_RECORDS_ERROR, verb=verb, detail=detail)


@final
class OpenList(Call):
    """MQOPEN of a list. The MQOD names no object, but may name an alternate user."""

    def __init__(self, od: ObjectDescriptor, destinations: list[Destination], options: int) -> None:
        super().__init__("open_list", "MQOPEN")
        _check_records(destinations, self.verb)
        settle_names(od)
        self.od = od
        self.destinations = destinations
        self.options = options
        self.outcomes: list[Outcome] = new_outcomes(destinations)
        self.unknown = 0  # of those that were opened: at other queue managers
        self.handle: ObjectHandle | None = None

    def found(self) -> ListOutcome:
        """What became of each destination."""
        return list_outcome(self.outcomes, self.unknown)

    def answer(self) -> ObjectHandle:
        """The handle of the list; the error if no destination was opened."""
        handle = self.handle
        if handle is None:
            raise list_error(self.found(), self.verb)
        return handle

    def result(self) -> dict[str, Any]:
        handle = self.handle
        return {
            "handle": 0 if handle is None else handle.handle_id,
            "options": 0 if handle is None else int(handle.options),
            "unknown": self.unknown,
            "outcomes": outcomes_to_json(self.outcomes),
        }

    def take(self, result: dict[str, Any], data: bytes, at: int) -> None:
        outcomes_from_json(result["outcomes"], self.outcomes)
        self.unknown = int(result["unknown"])
        number = int(result["handle"])
        if number:
            self.handle = ObjectHandle(number, int(result["options"]))


class ListPutCall(Call):
    """What both puts have. `fields` (MQPMRF) says what the records have; destinations without a
    record, and fields that are not named, are as the descriptor says."""

    def __init__(
        self,
        name: str,
        verb: str,
        form: PutForm,
        data: bytes,
        fields: int,
        records: list[PutRecord],
    ) -> None:
        super().__init__(name, verb)
        self.form = form
        self.data = data
        self.fields = fields
        self.records = [whole_record(one) for one in records]
        self.outcomes: list[Outcome] = []
        self.unknown = 0  # of those that got the message: at other queue managers
        self.entry: Entry | None = None  # the first that was put; only where the queue is

    def found(self) -> ListOutcome:
        """What became of each destination."""
        return list_outcome(self.outcomes, self.unknown)

    def answer(self) -> ListOutcome:
        """The same; the error if no destination got the message."""
        found = self.found()
        if found.comp == mq.MQCC_FAILED:
            raise list_error(found, self.verb)
        return found

    def result(self) -> dict[str, Any]:
        return {"unknown": self.unknown, "outcomes": outcomes_to_json(self.outcomes)}

    def take(self, result: dict[str, Any], data: bytes, at: int) -> None:
        outcomes_from_json(result["outcomes"], self.outcomes)
        self.unknown = int(result["unknown"])


@final
class PutList(ListPutCall):
    """MQPUT to an open list of these destinations."""

    def __init__(
        self,
        handle: ObjectHandle,
        destinations: list[Destination],
        form: PutForm,
        data: bytes,
        fields: int,
        records: list[PutRecord],
    ) -> None:
        super().__init__("put_list", "MQPUT", form, data, fields, records)
        self.handle = handle
        self.outcomes = new_outcomes(destinations)

    def subject(self) -> ObjectHandle | None:
        return self.handle


@final
class Put1List(ListPutCall):
    """MQPUT1 to a list: open, put, close."""

    def __init__(
        self,
        od: ObjectDescriptor,
        destinations: list[Destination],
        form: PutForm,
        data: bytes,
        fields: int,
        records: list[PutRecord],
    ) -> None:
        super().__init__("put1_list", "MQPUT1", form, data, fields, records)
        _check_records(destinations, self.verb)
        settle_names(od)
        self.od = od
        self.destinations = destinations
        self.outcomes = new_outcomes(destinations)
