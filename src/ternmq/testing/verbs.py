"""The simulator's driver: the calls of all connections of one engine, carried out as the drivers of
`host` do it, in one thread.

A verb is a generator. It attempts the step of its call with `host.attempt`, and stops where a
thread would have to wait: at an `Effect` that must have come to its end, at an LSN that must be
forced, at a `Waker` that must be woken, or at `TURN`, where others have their turn. Whatever drives
the generator decides when that happens, and what happens meanwhile.

A plain put and get run in two modes: by the fast paths that ship (`Shell.try_put`,
`Session.attempt_get`), and by the steps of their calls. Both modes must leave the same traces and
the same log.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Final, TypeVar, final

from ternmq.api import definitions
from ternmq.base import constants as mq
from ternmq.base.attributes import LOCAL
from ternmq.base.errors import MQError, mq_error
from ternmq.base.object_types import REMOTE
from ternmq.base.reasons import MQRC_HCONN_ERROR
from ternmq.codec.mqi.mqgmo import GetOptions
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.codec.mqi.mqpmo import PutOptions
from ternmq.engine.engine import Engine
from ternmq.host.attempt import attempt
from ternmq.host.connection_session import Session
from ternmq.host.shell import Shell
from ternmq.kernel.connection import Connection, Handle
from ternmq.kernel.get import stop_waiting
from ternmq.kernel.requests import GetCall, PutRequest
from ternmq.kernel.returning import answered
from ternmq.mqi.getting import check_open_for, get_request
from ternmq.mqi.putting import check_open_for_output, put_request
from ternmq.mqi.sharing import NO_BLOCK
from ternmq.mqi.steps.step import Step
from ternmq.mqi.steps.table import IN_UNIT, STEPS, step_of
from ternmq.ports.disk import Disk
from ternmq.ports.effect import Effect, Wakeable
from ternmq.testing.second_part import beside_of
from ternmq.values.calls import messages, objects, streams, units
from ternmq.values.calls.administration import RunCommands
from ternmq.values.calls.call import Call
from ternmq.values.entry import Entry
from ternmq.values.get_request import UNLIMITED_LENGTH, GetRequest
from ternmq.values.xid import XID

OPEN: Final = mq.MQOO_INPUT_SHARED | mq.MQOO_OUTPUT | mq.MQOO_BROWSE | mq.MQOO_INQUIRE
_CALLER: Final = 1  # a connection has one caller


@final
class Turn:
    """A verb has done a bounded part of its work: others have their turn."""


TURN: Final = Turn()


@final
class Waker(Wakeable):
    """What a get that waits for a message is woken by."""

    def __init__(self) -> None:
        self.woken = False

    def wake(self) -> None:
        self.woken = True


T = TypeVar("T")
Need = Effect | Waker | Turn | int
Steps = Generator[Need, None, T]


class Verbs:
    """The verbs of one engine, for all its connections. A connection opens each queue once.
    `fast`: puts and gets take their fast paths."""

    def __init__(self, engine: Engine, disk: Disk, fast: bool = True) -> None:
        self.engine = engine
        self.kernel = engine.kernel
        self.shell = Shell(engine, disk, has_housekeeper=False)
        self.fast = fast
        self._sessions: dict[int, Session] = {}
        self._handles: dict[tuple[int, str], tuple[Connection, Handle]] = {}
        self._puts: dict[tuple[bool, int, bool, int, bool], PutRequest] = {}
        self._gets: dict[tuple[bool, int], GetRequest] = {}

    def connect(self, user: str, application: str) -> Connection:
        """MQCONN."""
        session = Session(self.shell, user, application, NO_BLOCK, _CALLER)
        link = session.link
        link.process_id = 0  # the same for every run
        self._sessions[link.connection_id] = session
        return link

    def _session(self, link: Connection) -> Session:
        """What drives a connection; one to a queue manager that has ended has none."""
        session = self._sessions.get(link.connection_id)
        if session is None or session.link is not link:
            raise mq_error(MQRC_HCONN_ERROR, object=self.engine.name)
        return session

    # ---- hooks

    def stepped(self, link: Connection) -> None:
        """A verb has done its work in memory."""

    def acknowledged(self, link: Connection) -> None:
        """A verb is about to answer."""

    def found(self, link: Connection, entry: Entry | None) -> None:
        """A get has found this; it is not acknowledged yet."""

    # ---- the driver

    def answer(self, link: Connection) -> Steps[None]:
        """The end of every verb: the force that the answer waits for."""
        durable_at = int(link.durable_at)
        self.stepped(link)
        yield durable_at
        self.acknowledged(link)

    def unpark(self, link: Connection) -> Steps[None]:
        """Wait for what a verb is parked on."""
        effect = link.park
        link.park = None
        if effect is not None:
            yield effect
            error = self.engine.error_for("")
            if error is not None:
                raise error

    @contextmanager
    def _turn(self, link: Connection, verb: str, subject: Handle | None) -> Iterator[Session]:
        """Take the connection for a put or get, and count it if it is refused."""
        session = self._session(link)
        session.begin(_CALLER, verb)
        try:
            yield session
        except MQError:
            session.refuse(verb, subject)
            raise
        finally:
            session.end()

    def attempts(self, link: Connection, step: Step, quiet: bool = False) -> Steps[None]:
        """A step, until it is done. The hook `stepped` is called for its parts unless `quiet`."""
        while not attempt(self.shell, link, step):
            if link.park is not None:
                yield from self.unpark(link)
            else:
                if not quiet:
                    self.stepped(link)
                yield TURN

    def run(self, link: Connection, call: Call, quiet: bool = False) -> Steps[None]:
        """A call, to its end; a command that is refused raises."""
        step = step_of(call)
        session = self._session(link)
        if STEPS[call.name].turn == IN_UNIT:
            session.begin(_CALLER, step.verb)
        else:
            session.claim(_CALLER, step.verb)
        try:
            session.before(call)
            yield from self.attempts(link, step, quiet)
            if isinstance(call, RunCommands):
                definitions.check_done(call, call.commands[0].name)
            if quiet:
                yield int(link.durable_at)
            else:
                yield from self.answer(link)
            session.after(call)
        except MQError:
            session.refuse(step.counts_as, step.subject)
            raise
        finally:
            session.end()

    # ---- objects

    def define(
        self, link: Connection, name: str, buffer_bytes: int = 0, **given: object
    ) -> Steps[None]:
        """A local queue; its buffers may be smaller than the command allows."""
        yield from self.run(link, definitions.define(LOCAL, name, dict(given), False))
        if buffer_bytes:
            definition = self.kernel.catalog.definitions[name]
            definition.attributes["persistent_buffer"] = buffer_bytes
            definition.attributes["nonpersistent_buffer"] = buffer_bytes
            link.depends_on(self.kernel.coordinator.define(self.kernel.catalog, definition))
            self.shell.settle()
            yield from self.answer(link)

    def delete(self, link: Connection, name: str) -> Steps[None]:
        yield from self.close_queue(name)
        yield from self.run(link, definitions.delete("QLOCAL", name, True))

    def clear(self, link: Connection, name: str) -> Steps[None]:
        yield from self.close_queue(name)
        yield from self.run(link, definitions.clear(name))

    def open(self, link: Connection, name: str) -> Steps[Handle]:
        key = (link.connection_id, name)
        found = self._handles.get(key)
        if found is not None:
            return found[1]
        definition = self.kernel.catalog.definitions.get(name)
        is_remote = definition is not None and definition.object_type == REMOTE
        options = mq.MQOO_OUTPUT if is_remote else OPEN
        call = objects.Open(ObjectDescriptor(object_name=name), options)
        yield from self.run(link, call, quiet=True)
        handle = call.handle
        assert isinstance(handle, Handle)
        self._handles[key] = (link, handle)
        return handle

    def close_queue(self, name: str) -> Steps[None]:
        """Every connection closes its handle."""
        for key in [key for key in self._handles if key[1] == name]:
            link, handle = self._handles.pop(key)
            yield from self.run(link, objects.Close(handle, 0), quiet=True)
        for session in list(self._sessions.values()):
            if name in session.link.streams:
                yield from self.run(session.link, streams.StreamClose(name), quiet=True)

    def close_all(self) -> Steps[None]:
        names = {key[1] for key in self._handles}
        for session in self._sessions.values():
            names.update(session.link.streams)
        for name in sorted(names):
            yield from self.close_queue(name)

    # ---- messages

    def put(
        self,
        link: Connection,
        name: str,
        data: bytes,
        *,
        persistent: bool = True,
        priority: int = 0,
        sync: bool = False,
        expiry: int = -1,
    ) -> Steps[Entry]:
        """MQPUT; `expiry` is in tenths of a second. With the data goes the second part that its
        head asks for (`second_part`)."""
        handle = yield from self.open(link, name)
        second = beside_of(data)
        key = (persistent, priority, sync, expiry, bool(second.header))
        request = self._puts.get(key)
        if request is None:
            options = mq.MQPMO_SYNCPOINT if sync else mq.MQPMO_NO_SYNCPOINT
            md = Descriptor(persistence=int(persistent), priority=priority, expiry=expiry)
            if second.header:
                md.format = "MQHRF2"
            request = put_request(self.kernel, link, md, PutOptions(options=options), "MQPUT")
            self._puts[key] = request
        if second.area:
            request = request.with_properties(second.area)
        data = second.header + data
        if self.fast:
            return (yield from self._fast_put(link, handle, request, data))
        call = messages.Put(handle, request, data)
        yield from self.run(link, call)
        assert call.entry is not None
        return call.entry

    def _fast_put(
        self, link: Connection, handle: Handle, request: PutRequest, data: bytes
    ) -> Steps[Entry]:
        with self._turn(link, "MQPUT", handle):
            check_open_for_output(handle, int(request.options), "MQPUT")
            entry = self.shell.try_put(link, handle, request, data)
            while entry is None:
                yield from self.unpark(link)
                entry = self.shell.try_put(link, handle, request, data)
            yield from self.answer(link)
        return entry

    def _request(self, sync: bool, wait_ms: int, msg_id: bytes) -> GetRequest:
        request = self._gets.get((sync, wait_ms))
        if request is None or msg_id:
            options = mq.MQGMO_SYNCPOINT if sync else mq.MQGMO_NO_SYNCPOINT
            options |= mq.MQGMO_WAIT if wait_ms else 0
            gmo = GetOptions(options=options, wait_interval=wait_ms)
            gmo.match_options = mq.MQMO_MATCH_MSG_ID
            request = get_request(Descriptor(msg_id=msg_id or bytes(24)), gmo, UNLIMITED_LENGTH)
            if not msg_id:
                self._gets[(sync, wait_ms)] = request
        return request

    def _attempt_get(
        self, session: Session, handle: Handle, request: GetRequest, leave: bool = False
    ) -> Steps[GetCall]:
        """A get to its end; with `leave`, no further than where it waits for a message."""
        how = self._fast_get if self.fast else self._step_get
        call = yield from how(session, handle, request, leave)
        if not call.waiting:
            self.end_get(call)
        return call

    def _fast_get(
        self, session: Session, handle: Handle, request: GetRequest, leave: bool
    ) -> Steps[GetCall]:
        link = session.link
        check_open_for(handle, int(request.options))
        waker = Waker()
        call = session.attempt_get(handle, request, None, waker)
        while call.waiting or link.park is not None or (call.entry is None and link.again):
            if call.waiting and leave:
                break
            if call.waiting:
                yield waker
                call.waker = None
                if call.error is not None:
                    raise call.error
            else:
                if link.park is not None:
                    yield from self.unpark(link)
                else:
                    yield TURN
                waker = Waker()
                session.attempt_get(handle, request, call, waker)
        return call

    def _step_get(
        self, session: Session, handle: Handle, request: GetRequest, leave: bool
    ) -> Steps[GetCall]:
        link = session.link
        call = messages.Get(handle, request)
        step = step_of(call)
        yield from self.attempts(link, step, quiet=True)
        while call.lacks() and not leave:
            waker = Waker()
            if step.await_more(self.kernel, link, waker):
                yield waker
            step.stop_awaiting(self.kernel, link, waker)
            yield from self.attempts(link, step, quiet=True)
        assert step.got is not None
        return step.got

    def end_get(self, call: GetCall) -> None:
        """A get is over, also one that was left waiting."""
        with self.shell.lock:
            stop_waiting(self.kernel, call)
            answered(self.kernel, call)

    def begin_get(
        self, link: Connection, name: str, *, sync: bool, wait_ms: int = 0
    ) -> Steps[GetCall]:
        """Start a get; it may be left waiting, and it is not answered: `end_get` ends it."""
        handle = yield from self.open(link, name)
        with self._turn(link, "MQGET", handle) as session:
            request = self._request(sync, wait_ms, b"")
            return (yield from self._attempt_get(session, handle, request, leave=True))

    def get(
        self,
        link: Connection,
        name: str,
        *,
        sync: bool = False,
        msg_id: bytes = b"",
        wait_ms: int = 0,
    ) -> Steps[Entry | None]:
        """MQGET; without `wait_ms` it does not wait for a message."""
        handle = yield from self.open(link, name)
        with self._turn(link, "MQGET", handle) as session:
            request = self._request(sync, wait_ms, msg_id)
            call = yield from self._attempt_get(session, handle, request)
            self.found(link, call.entry)
            yield from self.answer(link)
        return call.entry

    def browse(self, link: Connection, name: str) -> Steps[list[Entry]]:
        """Look at every message, in the order a get would take them."""
        handle = yield from self.open(link, name)
        found: list[Entry] = []
        option = mq.MQGMO_BROWSE_FIRST
        while True:
            gmo = GetOptions(options=option | mq.MQGMO_NO_SYNCPOINT)
            request = get_request(Descriptor(), gmo, UNLIMITED_LENGTH)
            with self._turn(link, "MQGET", handle) as session:
                call = yield from self._attempt_get(session, handle, request)
                yield int(link.durable_at)
            if call.entry is None:
                return found
            found.append(call.entry)
            option = mq.MQGMO_BROWSE_NEXT

    # ---- units of work

    def commit(self, link: Connection) -> Steps[None]:
        yield from self.run(link, units.Commit())

    def back_out(self, link: Connection) -> Steps[None]:
        yield from self.run(link, units.BackOut())

    def disconnect(self, link: Connection, vanished: bool) -> Steps[None]:
        if link.connected:
            yield from self.run(link, units.Disconnect(vanished))
        for key in [key for key in self._handles if key[0] == link.connection_id]:
            del self._handles[key]

    def prepare(self, link: Connection, xid: XID) -> Steps[None]:
        yield from self.run(link, units.Prepare(xid))

    def end_prepared(
        self, link: Connection, xid: XID, commit: bool, heuristic: bool = False
    ) -> Steps[None]:
        """The second phase; `heuristic`: an operator ends a unit of work that is in doubt."""
        yield from self.run(link, units.EndPrepared(xid, commit, heuristic))

    def recover(self, link: Connection) -> Steps[list[XID]]:
        """What is in doubt."""
        call = units.Recover()
        aside = self._session(link).aside(0, call.verb)
        yield from self.attempts(aside, step_of(call), quiet=True)
        return call.xids

    def forget(self, link: Connection, xid: XID) -> Steps[None]:
        """The transaction manager has taken note of what an operator decided."""
        yield from self.run(link, units.Forget(xid))

    def commit_batch(
        self, link: Connection, owner: str, batch: int, xids: list[XID]
    ) -> Steps[units.CommitBatch]:
        """Prepared units of work and a row of the ledger."""
        call = units.CommitBatch(owner, batch, xids)
        yield from self.run(link, call)
        return call
