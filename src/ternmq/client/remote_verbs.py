"""The verbs of a connection to a queue manager in another process, whatever way bytes travel.

A verb is a generator: it yields what is to be sent and gets what answers it. A transport runs it in
a thread or in a task. `local_verbs` speaks the protocol of the local socket, `net_verbs` that of
MQ's clients. Arguments are checked here by the functions that the embedded API uses, so that all
refuse alike, and once more by the queue manager, which trusts nobody.
"""

from __future__ import annotations

from collections.abc import Generator
from time import monotonic
from typing import Any, NamedTuple, TypeVar

from mypy_extensions import mypyc_attr

from ternmq.base.attributes import Value
from ternmq.base.errors import IntegrityError, ProtocolError, mq_error
from ternmq.base.reasons import MQRC_UNEXPECTED_ERROR
from ternmq.client.extension_steps import WAIT_PIECE_S, ExtensionStep
from ternmq.client.message import Message
from ternmq.codec.mqmd import Descriptor
from ternmq.codec.mqsts import Status
from ternmq.kernel.connection import Connection as Link
from ternmq.kernel.connection import Handle
from ternmq.kernel.requests import GetRequest
from ternmq.mqi.descriptor import canonical, check_descriptor
from ternmq.mqi.options import check_put
from ternmq.txn.unit import XID

Result = TypeVar("Result")
Exchange = Generator[Any, Any, Result]  # what is sent and what answers are the transport's


class Opened(NamedTuple):
    """What an open gave."""

    handle: Handle
    object_type: int  # a bit of base.object_types; 0 for the queue manager, or if it is not known
    renamed: bool  # the queue has another name than it was asked for by: a dynamic one
    resolved_qmgr: str  # which queue manager has the queue
    local_queue: str = ""  # that takes its messages here; not known through a channel


class Extended(NamedTuple):
    """What an extension answered."""

    told: dict[str, Any]
    data: bytes  # in which, from `at` on, are the bytes that follow
    at: int


@mypyc_attr(allow_interpreted_subclasses=True)
class RemoteVerbs:
    """The state of one connection, and its verbs."""

    def __init__(self, name: str, tag: bytes, user: str) -> None:
        self.name = name
        self.link = Link(0, tag, user, "")
        self.in_unit = False
        self.has_changes = False  # puts or gets inside syncpoint that have not ended

    def call(self, call: str, /, **arguments: Any) -> Exchange[dict[str, Any]]:
        """What has no verb: commands, status; by the names of the local binding."""
        raise NotImplementedError

    # ---- objects

    def open(
        self, od: dict[str, Any], options: int, as_needed: bool = False, exclusive: bool = False
    ) -> Exchange[Opened]:
        """MQOPEN."""
        raise NotImplementedError

    def close(self, handle: Handle, options: int = 0) -> Exchange[None]:
        """MQCLOSE."""
        raise NotImplementedError

    def inquire(self, handle: Handle, selectors: list[int]) -> Exchange[list[Value]]:
        """MQINQ."""
        raise NotImplementedError

    def set(self, opened: Opened, values: dict[int, Value]) -> Exchange[None]:
        """MQSET."""
        raise NotImplementedError

    # ---- messages

    def put(
        self, handle: Handle, options: int, packed: bytes, data: bytes, context: int = 0
    ) -> Exchange[bytes]:
        """MQPUT with a packed descriptor; the MsgId. `context` is the handle of the get whose
        context is passed on."""
        raise NotImplementedError

    def put1(
        self, od: dict[str, Any], options: int, packed: bytes, data: bytes, context: int = 0
    ) -> Exchange[bytes]:
        """MQPUT1; the MsgId."""
        raise NotImplementedError

    def told_of_put(self) -> bytes:
        """What the queue manager made of the descriptor of the last put: Priority and Persistence,
        then UserIdentifier to ApplOriginData, as they lie in an MQMD; empty if it did not tell."""
        return b""

    def warning_of_put(self) -> int:
        """The reason code of a last put that went well but for something; 0 if there is none."""
        return 0

    def get(
        self, handle: Handle, request: GetRequest, returnable: bool
    ) -> Exchange[Message | None]:
        """MQGET with a checked request; None if there is no message."""
        raise NotImplementedError

    def status(self) -> Exchange[Status]:
        """MQSTAT; where every put is answered there is nothing to tell."""
        yield from ()
        return Status()

    # ---- units of work

    def start_unit(self) -> Exchange[None]:
        """MQBEGIN."""
        raise NotImplementedError

    def commit(self) -> Exchange[None]:
        """MQCMIT."""
        raise NotImplementedError

    def back_out(self) -> Exchange[None]:
        """MQBACK."""
        raise NotImplementedError

    def disconnect(self) -> Exchange[None]:
        """MQDISC: commits what is open."""
        raise NotImplementedError

    # ---- two-phase commit

    def prepare(self, xid: XID) -> Exchange[bool]:
        """The first phase."""
        raise NotImplementedError

    def end_prepared(self, xid: XID, commit: bool, heuristic: bool) -> Exchange[None]:
        """The second phase."""
        raise NotImplementedError

    def recover(self) -> Exchange[list[XID]]:
        """What is in doubt."""
        raise NotImplementedError

    def forget(self, xid: XID) -> Exchange[None]:
        """Drop the memory of a heuristic outcome."""
        raise NotImplementedError

    # ---- what only our own queue manager has

    def extension(self, call: str, /, **arguments: Any) -> Exchange[Extended]:
        """A call of `server.extension_calls`."""
        raise NotImplementedError

    def extended(self, step: ExtensionStep) -> Exchange[None]:
        """The same by a step, which takes the answer. Waits go in pieces: whoever is cancelled
        need not wait for the whole of it."""
        deadline_s = monotonic() + step.wait_s
        while True:
            left_s = min(deadline_s - monotonic(), WAIT_PIECE_S)
            step.wait_s = max(left_s, 0.0)
            answer = yield from self.extension(step.call, **step.arguments())
            try:
                step.take(answer.told, answer.data, answer.at)
            except (KeyError, TypeError, ValueError, IntegrityError, ProtocolError) as error:
                raise mq_error(
                    MQRC_UNEXPECTED_ERROR,
                    verb=step.verb,
                    object=self.name,
                    detail=f"an answer that cannot be: {error}",
                ) from error
            if not step.lacks() or left_s <= 0:
                return

    # ---- definitions

    def define(
        self, object_type: int, name: str, attributes: dict[str, Any], replace: bool
    ) -> Exchange[None]:
        """DEFINE."""
        raise NotImplementedError

    def alter(self, name: str, attributes: dict[str, Any]) -> Exchange[None]:
        """ALTER of a queue."""
        raise NotImplementedError

    def alter_qmgr(self, attributes: dict[str, Any]) -> Exchange[None]:
        """ALTER QMGR."""
        raise NotImplementedError


def described(name: str, dynamic_name: str = "AMQ.*") -> dict[str, Any]:
    """The MQOD of a queue."""
    return {"object_name": name, "dynamic_queue_name": dynamic_name}


def put1_described(name: str, qmgr_name: str, alternate_user: str) -> dict[str, Any]:
    """The MQOD of MQPUT1."""
    return {
        "object_name": name,
        "object_qmgr_name": qmgr_name,
        "alternate_user_id": alternate_user,
    }


def packed_put(md: Descriptor, options: int, verb: str) -> bytes:
    """A descriptor, checked as MQPUT checks it, as it travels."""
    check_put(verb, options)
    check_descriptor(md, verb)
    return canonical(md).pack()
