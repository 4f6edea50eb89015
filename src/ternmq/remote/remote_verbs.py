"""The verbs of a connection to a queue manager in another process, whatever way bytes travel.

A verb is a generator: it yields what is to be sent and gets what answers it. A runner drives it in
a thread or in a task. `local_verbs` speaks the protocol of the local socket, `fap_verbs` that of
MQ's clients. Arguments are checked here by the functions that the embedded API uses, so that all
refuse alike, and once more by the queue manager, which trusts no client.
"""

from __future__ import annotations

from collections.abc import Generator
from time import monotonic
from typing import Any, NamedTuple, TypeVar, final

from mypy_extensions import i64, mypyc_attr

from ternmq.base import constants as mq
from ternmq.base.errors import (
    IntegrityError,
    MQError,
    ProtocolError,
    RemoteProtocolError,
    XAError,
    mq_error,
)
from ternmq.base.reasons import MQRC_UNEXPECTED_ERROR
from ternmq.codec.mqi.mqmd import CORREL_ID_AT, MSG_ID_AT, Descriptor
from ternmq.mqi.descriptor import canonical, check_descriptor, in_logical_order
from ternmq.mqi.options import check_put
from ternmq.values.calls.call import WAIT_PIECE_S, Call
from ternmq.values.get_request import GetRequest
from ternmq.values.handle import ObjectHandle
from ternmq.values.message import Message
from ternmq.values.put_form import PutForm, check_level

Result = TypeVar("Result")
Exchange = Generator[Any, Any, Result]  # what is sent and what answers are the protocol's


@final
class PackedPut(PutForm):
    """MQPMO options and a descriptor as it travels."""

    __slots__ = ("context", "packed", "properties")

    def __init__(self, options: i64, packed: bytes, context: int = 0) -> None:
        super().__init__(options)
        self.packed = packed
        self.context = context  # the handle of the get whose context is passed on
        self.properties = b""  # an area

    def with_ids(self, msg_id: bytes, correl_id: bytes) -> PutForm:
        base = self.packed
        other = PackedPut(
            self.options, base[:MSG_ID_AT] + msg_id + correl_id + base[CORREL_ID_AT + 24 :]
        )
        other.level = self.level
        return other

    def with_properties(self, area: bytes) -> PutForm:
        other = PackedPut(self.options, self.packed, self.context)
        other.properties = area
        other.level = self.level
        return other

    def with_level(self, level: int) -> PutForm:
        check_level(level, "MQPUT")
        # Such a put is answered: those without an answer go by a shorter way, where all are alike.
        options = self.options & ~mq.MQPMO_ASYNC_RESPONSE | mq.MQPMO_SYNC_RESPONSE
        other = PackedPut(options, self.packed, self.context)
        other.properties = self.properties
        other.level = level
        return other


def packed_form(md: Descriptor, options: int, verb: str, context: int = 0) -> PackedPut:
    """A descriptor, checked as MQPUT checks it, as it travels."""
    check_put(verb, options)
    md = in_logical_order(md, options, verb)
    check_descriptor(md, verb)
    return PackedPut(options, canonical(md).pack(), context)


@final
class RemoteLink:
    """What is known of a connection on this side."""

    def __init__(self, tag: bytes, user: str) -> None:
        self.tag = tag  # 24 bytes, as MQCNO returns them
        self.user = user
        self.connected = True
        self.handles: dict[int, ObjectHandle] = {}


class Extended(NamedTuple):
    """What a call answered."""

    result: dict[str, Any]
    data: bytes  # in which, from `at` on, are the bytes that follow
    at: int


@mypyc_attr(allow_interpreted_subclasses=True)
class RemoteVerbs:
    """The state of one connection, and its verbs."""

    def __init__(self, name: str, tag: bytes, user: str) -> None:
        self.name = name
        self.link = RemoteLink(tag, user)
        self.in_unit = False
        self.has_changes = False  # puts or gets inside syncpoint that have not ended

    def put(self, handle: ObjectHandle, form: PackedPut, data: bytes) -> Exchange[bytes]:
        """MQPUT; the MsgId."""
        raise NotImplementedError

    def get(
        self, handle: ObjectHandle, request: GetRequest, returnable: bool
    ) -> Exchange[Message | None]:
        """MQGET with a checked request; None if there is no message."""
        raise NotImplementedError

    def run(self, call: Call) -> Exchange[None]:
        """Any other verb; its result is in the call."""
        raise NotImplementedError

    def disconnect(self) -> Exchange[None]:
        """MQDISC: commits what is open."""
        raise NotImplementedError

    # ---- the last put

    def put_descriptor(self) -> bytes:
        """What the queue manager made of the descriptor of the last put: Priority and Persistence,
        then UserIdentifier to ApplOriginData, as they are in an MQMD; empty if it did not say."""
        return b""

    def put_warning(self) -> int:
        """The reason code of a last put that went well but for something; 0 if there is none."""
        return 0

    def put_place(self) -> bytes:
        """GroupId to OriginalLength of the last put, as they are in an MQMD; empty if the queue
        manager did not say."""
        return b""

    # ---- calls that travel by name

    def send_call(
        self, name: str, arguments: dict[str, Any], subject: ObjectHandle | None = None
    ) -> Exchange[Extended]:
        """A call by its name, with JSON, to a queue manager of ours; `subject` is the open object
        that it is about."""
        raise NotImplementedError

    def run_by_name(self, call: Call) -> Exchange[None]:
        """The same with a call, which takes the answer. Waits go in pieces: a cancelled caller
        need not wait for the whole of it."""
        deadline_s = monotonic() + call.wait_s
        while True:
            left_s = min(deadline_s - monotonic(), WAIT_PIECE_S)
            call.wait_s = max(left_s, 0.0)
            answer = yield from self.send_call(call.name, call.arguments(), call.subject())
            try:
                call.take(answer.result, answer.data, answer.at)
            except (KeyError, TypeError, ValueError, IntegrityError, ProtocolError) as error:
                raise mq_error(
                    MQRC_UNEXPECTED_ERROR,
                    verb=call.verb,
                    object=self.name,
                    detail=f"an answer that cannot be: {error}",
                ) from error
            if not call.lacks() or left_s <= 0:
                return


def error_from(given: dict[str, Any]) -> MQError:
    """An error as the queue manager has sent it, as it was raised there."""
    try:
        verb, about, detail = str(given["verb"]), str(given["object"]), str(given["detail"])
        reason = int(given["reason"])
        if "xa" in given:
            detail = detail.partition(": ")[2]
            return XAError(int(given["xa"]), reason, verb=verb, object=about, detail=detail)
        return mq_error(reason, comp=int(given["comp"]), verb=verb, object=about, detail=detail)
    except (KeyError, TypeError, ValueError) as error:
        raise RemoteProtocolError(f"an error that says nothing: {given!r}") from error
