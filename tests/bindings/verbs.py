"""The verbs of the MQI as a binding under test has them, and what they answer.

Every verb raises MQError where it fails; what ends with a warning says so in its answer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ternmq.base.attributes import Value
from ternmq.base.errors import mq_error
from ternmq.base.reasons import MQRC_FUNCTION_NOT_SUPPORTED
from ternmq.codec.mqi.list_records import Destination, PutRecord
from ternmq.codec.mqi.mqgmo import GetOptions
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.codec.mqi.mqsts import Status
from ternmq.values.calls.topics import Subscribe
from ternmq.values.xid import XID


class Opened(NamedTuple):
    """What MQOPEN answered."""

    number: int
    object_name: str
    resolved_name: str
    resolved_qmgr: str
    resolved_string: str


class PutAsked(NamedTuple):
    """What MQPUT and MQPUT1 are asked, beside the object and the data."""

    descriptor: Descriptor
    options: int
    area: bytes = b""  # properties
    level: int = 9
    context: int = 0


class PutDone(NamedTuple):
    """What they answered: the MQMD as it came back, and the reason of a warning."""

    descriptor: Descriptor
    warning: int


class GetAsked(NamedTuple):
    """What MQGET is asked: MQMD, MQGMO, the length of the buffer (None: any)."""

    descriptor: Descriptor
    options: GetOptions
    length: int | None
    apart: bool  # properties come beside the data


class Taken(NamedTuple):
    """A message that MQGET gave, whole or cut, with or without a warning."""

    data: bytes
    descriptor: Descriptor
    length: int
    reason: int
    token: bytes
    area: bytes


class Listed(NamedTuple):
    """What a verb with a distribution list answered: completion code and reason of the call, and
    of each destination; how many of them are at other queue managers."""

    number: int
    comp: int
    outcomes: list[tuple[int, int]]
    unknown: int
    identifiers: tuple[dict[str, bytes], ...] = ()  # of the messages, for those that have a record


class Verbs:
    """One connection of a binding."""

    name: str
    connection_id: bytes
    has_branches = False  # of global units of work, by XA

    def open(self, od: ObjectDescriptor, options: int, topic: str, selector: str) -> Opened:
        raise NotImplementedError

    def close(self, number: int, options: int) -> int:
        """The reason of a warning, or 0."""
        raise NotImplementedError

    def put(self, number: int, asked: PutAsked, data: bytes) -> PutDone:
        raise NotImplementedError

    def put1(self, od: ObjectDescriptor, topic: str, asked: PutAsked, data: bytes) -> PutDone:
        raise NotImplementedError

    def put_later(self, number: int, asked: PutAsked, data: bytes, delay_ms: int) -> PutDone:
        """MQPUT with a delivery delay."""
        raise not_offered("delivery delay")

    def get(self, number: int, asked: GetAsked) -> Taken:
        raise NotImplementedError

    def consume(self, number: int, asked: GetAsked, count: int) -> list[bytes]:
        """MQCB and MQCTL: what a function was called with, once it got so many messages."""
        raise not_offered("MQCB")

    def status(self) -> Status:
        """MQSTAT of puts without an answer."""
        raise not_offered("MQSTAT")

    def inquire(self, number: int, selectors: list[int]) -> tuple[list[Value], int]:
        """The values, and the reason of a warning."""
        raise NotImplementedError

    def set(self, number: int, values: dict[int, Value]) -> None:
        raise NotImplementedError

    def commit(self) -> None:
        raise NotImplementedError

    def back_out(self) -> None:
        raise NotImplementedError

    def disconnect(self) -> None:
        raise NotImplementedError

    def begin_branch(self, xid: XID) -> None:
        """xa_start: what follows is of this branch of a global unit of work."""
        raise not_offered("XA")

    def prepare_branch(self, xid: XID) -> None:
        """xa_end and xa_prepare."""
        raise not_offered("XA")

    def end_branch(self, xid: XID, commit: bool) -> None:
        """xa_commit or xa_rollback."""
        raise not_offered("XA")

    def subscribe(self, call: Subscribe) -> tuple[int, int, int]:
        """MQSUB: Hobj, Hsub and the reason of a warning; the call is filled in but for handles."""
        raise NotImplementedError

    def request_publications(self, number: int, action: int, options: int) -> int:
        raise NotImplementedError

    def open_list(
        self, od: ObjectDescriptor, destinations: list[Destination], options: int
    ) -> Listed:
        raise not_offered("MQOPEN of a distribution list")

    def put_list(
        self,
        target: int | ObjectDescriptor,
        destinations: list[Destination],
        asked: PutAsked,
        data: bytes,
        fields: int,
        records: list[PutRecord],
    ) -> Listed:
        """MQPUT to a list that is open, by its number; MQPUT1 with an MQOD."""
        raise not_offered("MQPUT to a distribution list")


Connector = Callable[..., Verbs]  # by the user, if one is named


def not_offered(what: str) -> Exception:
    """The binding has no such call: a test that wants it does not belong to this binding."""
    return mq_error(MQRC_FUNCTION_NOT_SUPPORTED, detail=f"the binding has no {what}")


def filled(call: Any, **values: Any) -> None:
    """Set what a call answered."""
    for name, value in values.items():
        setattr(call, name, value)
