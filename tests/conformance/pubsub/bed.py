"""A queue manager with one way in, on which the rows of publish/subscribe are tried.

`Bed` has the verbs as the rows name them: `sub` is MQSUB with exactly the options given, `pub` is
MQOPEN, MQPUT and MQCLOSE of a topic string. The same calls go to the embedded queue manager, over
the local socket or over TCP, and by pymqi, ibmmq and IBM's Java client.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import ternmq
from ternmq import Connection, Message, MQError
from ternmq import constants as mq
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.codec.mqi.mqsd import SubscriptionDescriptor
from ternmq.host.shared_threads import thread_transport
from ternmq.ports.clock import Clock
from ternmq.runtime.starting import start_in_memory
from ternmq.values.calls.messages import Put
from ternmq.values.calls.objects import Close, Inquire, Open
from ternmq.values.calls.topics import RequestPublications, Subscribe
from ternmq.values.command import Answer
from ternmq.values.handle import ObjectHandle
from tests.bindings import bound
from tests.unit.api.networked import Networked
from tests.unit.api.served import started_in_folder

C = mq.MQSO_CREATE
M = mq.MQSO_MANAGED
D = mq.MQSO_DURABLE
R = mq.MQSO_RESUME
ALTER = mq.MQSO_ALTER


class ShiftedClock(Clock):
    """The clock of the queue manager, some time ahead."""

    def __init__(self, inner: Clock) -> None:
        self.inner = inner
        self.ahead_ns = 0

    def now_ns(self) -> int:
        return self.inner.now_ns() + self.ahead_ns

    def monotonic_ns(self) -> int:
        return self.inner.monotonic_ns() + self.ahead_ns

    def cpu_ns(self) -> int:
        return self.inner.cpu_ns()


class Sub:
    """What MQSUB answered: Hobj, Hsub, the MQSD as it came back."""

    def __init__(self, connection: Connection, call: Subscribe) -> None:
        self.connection = connection
        self.call = call
        self.queue, self.handle = call.done()

    @property
    def sd(self) -> SubscriptionDescriptor:
        return self.call.sd

    @property
    def queue_name(self) -> str:
        return self.queue.resolved_name

    def try_get(self, wait: float = 0.0, **arguments: Any) -> Message | None:
        """MQGET on Hobj; None: 2033."""
        return get(self.connection, self.queue, wait, **arguments)

    def get(self, wait: float = 1.0, **arguments: Any) -> Message:
        """MQGET on Hobj, which finds a message."""
        found = self.try_get(wait, **arguments)
        assert found is not None, f"no message on {self.queue_name}"
        return found

    def texts(self) -> list[str]:
        """All messages that are there, got in order. Publications arrive within the put."""
        return [one.text for one in iter(self.try_get, None)]

    def close(self, options: int = 0) -> None:
        """MQCLOSE of Hsub."""
        self.connection.run(Close(self.handle, options))

    def close_queue(self, options: int = 0) -> None:
        """MQCLOSE of Hobj."""
        self.connection.run(Close(self.queue, options))

    def end(self, options: int = 0) -> None:
        """Both, Hsub first."""
        self.close(options)
        self.close_queue()

    def request(self, action: int = mq.MQSR_ACTION_PUBLICATION, options: int = 0) -> int:
        """MQSUBRQ; MQSRO.NumPubs."""
        return self.connection.run(RequestPublications(self.handle, action, options)).publications


def get(
    connection: Connection, handle: ObjectHandle, wait: float = 0.0, **arguments: Any
) -> Message | None:
    """MQGET on any handle; None: 2033."""
    from ternmq.api.arguments import Requests

    none: dict[str, Any] = dict.fromkeys(("msg_id", "correl_id", "group_id", "token", "max_length"))
    given = {"wait": wait or None, **none, "options": 0, "syncpoint": None, **arguments}
    return connection.transport.get(handle, Requests(connection.transport).get(**given))


def take(connection: Connection, handle: ObjectHandle, **arguments: Any) -> Message:
    """MQGET on any handle, which finds a message."""
    found = get(connection, handle, **arguments)
    assert found is not None, f"no message on {handle.resolved_name}"
    return found


class Bed:
    """One queue manager, reached by one binding."""

    def __init__(self, binding: str, folder: Path | None = None, security: bool = False) -> None:
        bound.need(binding)
        self.binding = binding
        self._security = security
        self._folder = folder
        self._scratch = tempfile.TemporaryDirectory(prefix="tmq")
        self._opened: list[Connection] = []
        self.served = self._start(True)
        self.connection = self.connect(user=self.served.started.user if security else None)

    def _start(self, create: bool) -> Networked:
        if self._folder is not None:
            return Networked(
                self._folder, "QM1", started_in_folder(self._folder, "QM1", create=create)
            )
        started = start_in_memory("QM1", None, None, self._security)
        return Networked(Path(self._scratch.name), "QM1", started)

    @property
    def kernel(self) -> Any:
        """The kernel, for what no binding shows."""
        return self.served.started.shell.engine.kernel

    # ---- connections

    def connect(self, binding: str = "", user: str | None = None, **options: Any) -> Connection:
        """Another connection; the end of the test ends it."""
        way = binding or self.binding
        started = self.served.started
        named: dict[str, Any] = {} if user is None else {"user": user}
        if way == "embedded":
            made = Connection(
                thread_transport(
                    started.shell,
                    user or started.user,
                    options.get("application") or started.application,
                    options.get("options"),
                )
            )
        elif way in bound.BINDINGS:
            channel = {} if user is None else {"channel": self._channel_of(user)}
            made = bound.connect(way, self.served, **channel, **options)
        elif way == "local":
            made = ternmq.connect("QM1", data=self.served.data, **named, **options)
        else:
            made = self.served.connect(**named, **options)
        self._opened.append(made)
        return made

    def _channel_of(self, user: str) -> str:
        """A channel whose clients work as that user: these bindings cannot name one without a
        password."""
        name = f"AS.{user.upper()}"
        self.mqsc(f"DEFINE CHANNEL({name}) CHLTYPE(SVRCONN) MCAUSER('{user}') REPLACE")
        return name

    def restart(self) -> None:
        """End the queue manager and start it again; needs a folder."""
        assert self._folder is not None, "use the fixture `lasting`"
        self._disconnect()
        self.served.close()
        self.served = self._start(False)
        self.connection = self.connect()

    def pass_time(self, seconds: float) -> None:
        """Set the clock of the queue manager forward, and let it do what is due."""
        shell = self.served.started.shell
        with shell.lock:
            kernel = self.kernel
            if not isinstance(kernel.clock, ShiftedClock):
                kernel.clock = ShiftedClock(kernel.clock)
            kernel.clock.ahead_ns += int(seconds * 1e9)
            kernel.topics.tick(kernel.clock.monotonic_ns())

    def _disconnect(self) -> None:
        for one in self._opened:
            if one.connected:
                one.disconnect()
        self._opened.clear()

    def close(self) -> None:
        try:
            self._disconnect()
        finally:
            self.served.close()
            self._scratch.cleanup()

    # ---- commands

    def mqsc(self, text: str, *, ok: bool = True) -> list[Answer]:
        """MQSC by an embedded connection; with `ok` each command is done."""
        with self.connect("embedded") as connection:
            answers = connection.mqsc(text)
        if ok:
            for answer in answers:
                assert answer.ok, answer
        return answers

    # ---- verbs

    def sub(
        self,
        topic: str = "",
        options: int = M,
        name: str = "",
        *,
        action: int = C,
        user_data: str = "",
        selector: str = "",
        queue: ObjectHandle | None = None,
        connection: Connection | None = None,
        **fields: Any,
    ) -> Sub:
        """MQSUB with MQSO_CREATE (or `action`) and these options; `fields` are those of MQSD."""
        at = connection or self.connection
        sd = SubscriptionDescriptor(options=action | options, **fields)
        return Sub(at, at.run(Subscribe(sd, topic, name, user_data, selector, queue)))

    def open(
        self, name: str, options: int, connection: Connection | None = None, **fields: Any
    ) -> ObjectHandle:
        """MQOPEN of a queue."""
        at = connection or self.connection
        return at.run(Open(ObjectDescriptor(object_name=name, **fields), options)).opened()

    def open_topic(
        self,
        topic: str = "",
        options: int = mq.MQOO_OUTPUT,
        object_name: str = "",
        connection: Connection | None = None,
        **fields: Any,
    ) -> Open:
        """MQOPEN of a topic; all that it answered."""
        at = connection or self.connection
        od = ObjectDescriptor(object_type=mq.MQOT_TOPIC, object_name=object_name, **fields)
        return at.run(Open(od, options, object_string=topic))

    def close_handle(
        self, handle: ObjectHandle, options: int = 0, connection: Connection | None = None
    ) -> None:
        """MQCLOSE."""
        (connection or self.connection).run(Close(handle, options))

    def put(
        self,
        handle: ObjectHandle,
        data: str | bytes = "x",
        connection: Connection | None = None,
        **arguments: Any,
    ) -> Put:
        """MQPUT on a handle, with the arguments of `Queue.put` and `level`; all that it
        answered: `warning` is the reason of a warning."""
        from ternmq.api.arguments import Requests, as_bytes

        at = connection or self.connection
        fields: dict[str, Any] = dict.fromkeys(_PUT_ARGUMENTS)
        level = arguments.pop("level", 9)
        form = Requests(at.transport).put(data, **{**fields, "options": 0, **arguments})
        if level != 9:
            form = form.with_level(level)
        return at.run(Put(handle, form, as_bytes(data)))

    def pub(
        self,
        topic: str,
        data: str | bytes = "x",
        options: int = 0,
        *,
        object_name: str = "",
        connection: Connection | None = None,
        **arguments: Any,
    ) -> Put:
        """MQOPEN of a topic string with MQOO_OUTPUT, MQPUT, MQCLOSE."""
        opened = self.open_topic(topic, object_name=object_name, connection=connection)
        handle = opened.opened()
        try:
            return self.put(handle, data, connection, options=options, **arguments)
        finally:
            self.close_handle(handle, connection=connection)

    def inquire(
        self, handle: ObjectHandle, *selectors: int, connection: Connection | None = None
    ) -> list[Any]:
        """MQINQ."""
        return list((connection or self.connection).run(Inquire(handle, [*selectors])).answer())


_PUT_ARGUMENTS = (
    *("persistent", "priority", "expiry", "msg_id", "correl_id", "reply_to", "format"),
    *("descriptor", "syncpoint", "properties"),
)


def reason_of(function: Callable[..., Any], *args: Any, **kwargs: Any) -> int:
    """The reason code that a call fails with; 0 if it does not."""
    try:
        function(*args, **kwargs)
    except MQError as error:
        return int(error.reason)
    return 0


def reasons_of(functions: Iterable[Callable[[], Any]]) -> list[int]:
    """The same of several, in order."""
    return [reason_of(one) for one in functions]
