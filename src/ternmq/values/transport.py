"""How a connection reaches its queue manager: in this process, by the local socket, by TCP.

The API stands on these two classes alone, one for threads and one for tasks. `host` implements them
in process, `remote` twice. A put and a get have methods of their own, because they are what time
goes into; every other verb is a call (`values.calls`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from mypy_extensions import mypyc_attr

from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.values.calls.call import Call
from ternmq.values.calls.units import BackOut, Begin, Commit
from ternmq.values.get_request import GetRequest
from ternmq.values.handle import ObjectHandle
from ternmq.values.message import Message
from ternmq.values.put_form import PutForm


@mypyc_attr(allow_interpreted_subclasses=True)
class Endpoint:
    """What the API asks of a transport, for threads and for tasks."""

    def __init__(self) -> None:
        self.warns = True  # if the connection is dropped without MQDISC
        self.callbacks: object = None  # of the API, once there are some
        # Handles of queues that were dropped without close; the next open closes them.
        self.dropped: list[ObjectHandle] = []

    @property
    def in_unit(self) -> bool:
        """Whether puts and gets are inside syncpoint unless they say otherwise."""
        raise NotImplementedError

    @property
    def qmgr_name(self) -> str:
        """The queue manager's name."""
        raise NotImplementedError

    @property
    def user(self) -> str:
        """The user as whom the connection works."""
        raise NotImplementedError

    @property
    def connection_id(self) -> bytes:
        """24 bytes that name the connection, as MQCNO returns them."""
        raise NotImplementedError

    @property
    def is_alive(self) -> bool:
        """Whether the connection can still be used, as far as is known."""
        raise NotImplementedError

    @property
    def has_unit(self) -> bool:
        """Whether there is work that has neither been committed nor backed out."""
        raise NotImplementedError

    def has_handle(self, handle: ObjectHandle) -> bool:
        """Whether the handle is open, as far as is known."""
        raise NotImplementedError

    # ---- callbacks

    def consume_by(self, caller: int) -> None:
        """MQCTL has started callbacks, which this caller runs, a thread or task by its number: any
        other gets MQRC_HCONN_ASYNC_ACTIVE, until `release`."""
        raise NotImplementedError

    def release(self) -> None:
        """The callbacks have ended. Their unit of work, if one is open, is the next caller's."""
        raise NotImplementedError

    def listen_for(self, listener: Callable[[int], None]) -> None:
        """Have reasons that concern the whole connection reported: that it is lost, that it is
        back. Where connections do not come back there are none."""

    def put_form(self, md: Descriptor, options: int, verb: str) -> PutForm:
        """Descriptor and options, checked as the verb checks them."""
        raise NotImplementedError


@mypyc_attr(allow_interpreted_subclasses=True)
class Transport(Endpoint):
    """For threads: every method blocks until the verb is done."""

    def put(self, handle: ObjectHandle, form: PutForm, data: bytes) -> bytes:
        """MQPUT; the MsgId."""
        raise NotImplementedError

    def put_many(
        self, handle: ObjectHandle, options: int, puts: Iterable[tuple[bytes, bytes]]
    ) -> None:
        """MQPUT of packed descriptors and their data, in order, in few round trips. Where puts are
        not answered one by one, MQSTAT reports afterwards whether all went well."""
        for packed, data in puts:
            self.put(handle, self.put_form(Descriptor.unpack(packed), options, "MQPUT"), data)

    def get(self, handle: ObjectHandle, request: GetRequest) -> Message | None:
        """MQGET; None if there is no message."""
        raise NotImplementedError

    def run(self, call: Call) -> None:
        """Any other verb; its result is in the call."""
        raise NotImplementedError

    def end(self, vanished: bool) -> None:
        """MQDISC, which commits; for an application that has failed, a backout."""
        raise NotImplementedError

    def deliver(self, handle: ObjectHandle, request: GetRequest) -> Message | None:
        """MQGET for a callback. If the process dies before it has the message, that goes back to
        its queue, as far as the protocol allows."""
        return self.get(handle, request)

    def interrupt(self, request: object) -> None:
        """From another thread: a get by this request, or a wait for any of several queues, that is
        under way may end early, as if its time were over. Where that cannot be, it ends when it
        ends."""

    # ---- calls that a program may make for every message

    def begin(self) -> None:
        """MQBEGIN: puts and gets are inside syncpoint from now on."""
        self.run(Begin())

    def commit(self) -> None:
        """MQCMIT."""
        self.run(Commit())

    def back_out(self) -> None:
        """MQBACK."""
        self.run(BackOut())


@mypyc_attr(allow_interpreted_subclasses=True)
class TaskTransport(Endpoint):
    """For the tasks of one event loop."""

    def __init__(self) -> None:
        super().__init__()
        self.pause_is_due = False  # many verbs in a row found nothing to wait for

    async def put(self, handle: ObjectHandle, form: PutForm, data: bytes) -> bytes:
        """MQPUT; the MsgId."""
        raise NotImplementedError

    async def get(self, handle: ObjectHandle, request: GetRequest) -> Message | None:
        """MQGET; None if there is no message."""
        raise NotImplementedError

    async def run(self, call: Call) -> None:
        """Any other verb; its result is in the call."""
        raise NotImplementedError

    async def end(self, vanished: bool) -> None:
        """MQDISC, which commits; for an application that has failed, a backout."""
        raise NotImplementedError

    # ---- what need not wait

    def put_now(self, handle: ObjectHandle, form: PutForm, data: bytes) -> bytes | None:
        """MQPUT, if it can be done at once."""
        return None

    def get_now(self, handle: ObjectHandle, request: GetRequest) -> Message | None:
        """MQGET, if it can be done at once."""
        return None

    def plain_put(self, handle: ObjectHandle, form: PutForm) -> PlainPut | None:
        """What does such puts outside syncpoint at once, if they can be."""
        return None

    def ahead_get(self, handle: ObjectHandle, request: GetRequest) -> AheadGet | None:
        """What does such gets outside syncpoint at once, if messages are read ahead."""
        return None

    async def pause(self) -> None:
        """Other tasks have their turn."""
        raise NotImplementedError


class PlainPut:
    """Puts of plain bytes to one queue, which need not wait."""

    def put(self, data: bytes) -> bytes:
        """The MsgId; nothing if it must go the usual way."""
        raise NotImplementedError


class AheadGet:
    """Gets of messages that were read ahead."""

    def next(self) -> Message | None:
        """The next one that is there; None: it must go the usual way."""
        raise NotImplementedError
