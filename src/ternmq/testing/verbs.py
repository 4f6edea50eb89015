"""The verbs of an engine without a shell, as generators: each stops where it would have to wait.

A verb yields what it needs before it can go on: an `Effect` that must have come to its end, an LSN
that must be forced, or a get that waits for a message. Whoever drives it decides when that happens,
and what happens meanwhile; that is what threads do in the shells. Verbs answer as the shells' do:
after the force.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Final, TypeVar

from ternmq.admin import objects
from ternmq.base import constants as mq
from ternmq.base.attributes import LOCAL
from ternmq.base.errors import IntegrityError
from ternmq.codec.mqgmo import GetOptions
from ternmq.codec.mqmd import Descriptor
from ternmq.codec.mqpmo import PutOptions
from ternmq.engine.engine import Engine
from ternmq.kernel import two_phase
from ternmq.kernel.connection import Connection, Handle
from ternmq.kernel.ending import back_out, commit, disconnect
from ternmq.kernel.get import get, resume
from ternmq.kernel.ledger import BatchCommit
from ternmq.kernel.put import put
from ternmq.kernel.requests import UNLIMITED_LENGTH, GetCall, GetRequest, PutRequest
from ternmq.kernel.resolve import close, open_queue
from ternmq.mqi.getting import get_request
from ternmq.mqi.putting import put_request
from ternmq.ports.effect import Effect
from ternmq.store.entry import Entry
from ternmq.txn.unit import XID

T = TypeVar("T")
Need = Effect | GetCall | int
Steps = Generator[Need, None, T]

OPEN: Final = mq.MQOO_INPUT_SHARED | mq.MQOO_OUTPUT | mq.MQOO_BROWSE | mq.MQOO_INQUIRE


class Verbs:
    """The verbs of one engine, for all its connections. A connection opens each queue once."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.kernel = engine.kernel
        self._handles: dict[tuple[int, str], Handle] = {}
        self._puts: dict[tuple[bool, int, bool, int], PutRequest] = {}
        self._gets: dict[tuple[bool, int], GetRequest] = {}

    # ---- for those who want to know

    def stepped(self, link: Connection) -> None:
        """A verb has done its work in memory."""

    def acknowledged(self, link: Connection) -> None:
        """A verb is about to answer."""

    def answer(self, link: Connection) -> Steps[None]:
        """The end of every verb: housekeeping, then the force that the answer waits for."""
        self.engine.after_step()
        self.stepped(link)
        yield int(link.durable_at)
        self.acknowledged(link)

    def unpark(self, link: Connection) -> Steps[None]:
        """Wait for what a verb is parked on."""
        effect = link.park
        link.park = None
        if effect is not None:
            yield effect

    # ---- objects

    def define(
        self, link: Connection, name: str, buffer_bytes: int = 0, **given: object
    ) -> Steps[None]:
        """A local queue; its buffers may be smaller than the command allows."""
        while not objects.define(self.kernel, link, LOCAL, name, dict(given), False):
            yield from self.unpark(link)
        if buffer_bytes:
            definition = self.kernel.catalog.definitions[name]
            definition.attributes["persistent_buffer"] = buffer_bytes
            definition.attributes["nonpersistent_buffer"] = buffer_bytes
            link.depends_on(self.kernel.coordinator.define(self.kernel.catalog, definition))
        yield from self.answer(link)

    def delete(self, link: Connection, name: str) -> Steps[None]:
        self.close_queue(name)
        while not objects.delete(self.kernel, link, LOCAL, name, True):
            yield from self.unpark(link)
        yield from self.answer(link)

    def clear(self, link: Connection, name: str) -> Steps[None]:
        self.close_queue(name)
        while not objects.clear(self.kernel, link, name):
            yield from self.unpark(link)
        yield from self.answer(link)

    def open(self, link: Connection, name: str) -> Steps[Handle]:
        key = (link.connection_id, name)
        found = self._handles.get(key)
        while found is None:
            found = open_queue(self.kernel, link, name, "", "", OPEN)
            if found is None:
                yield from self.unpark(link)
                definition = self.kernel.catalog.definitions[name]
                text = self.kernel.catalog.damaged.get(definition.object_id)
                if text is not None:
                    raise IntegrityError(text)
            else:
                self._handles[key] = found
        return found

    def close_queue(self, name: str) -> None:
        """Every connection closes its handle."""
        for key in [key for key in self._handles if key[1] == name]:
            close(self.kernel, self._handles.pop(key), 0)

    def close_all(self) -> None:
        for handle in self._handles.values():
            close(self.kernel, handle, 0)
        self._handles = {}

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
        """MQPUT; `expiry` is in tenths of a second."""
        handle = yield from self.open(link, name)
        key = (persistent, priority, sync, expiry)
        request = self._puts.get(key)
        if request is None:
            options = mq.MQPMO_SYNCPOINT if sync else mq.MQPMO_NO_SYNCPOINT
            md = Descriptor(persistence=int(persistent), priority=priority, expiry=expiry)
            request = put_request(self.kernel, link, md, PutOptions(options=options), "MQPUT")
            self._puts[key] = request
        entry = put(self.kernel, link, handle, request, data)
        while entry is None:
            yield from self.unpark(link)
            entry = put(self.kernel, link, handle, request, data)
        yield from self.answer(link)
        return entry

    def begin_get(
        self, link: Connection, name: str, *, sync: bool, wait_ms: int = 0, msg_id: bytes = b""
    ) -> Steps[GetCall]:
        """Start a get; it may be left waiting, and it is not answered yet."""
        handle = yield from self.open(link, name)
        request = self._gets.get((sync, wait_ms))
        if request is None or msg_id:
            options = mq.MQGMO_SYNCPOINT if sync else mq.MQGMO_NO_SYNCPOINT
            options |= mq.MQGMO_WAIT if wait_ms else 0
            gmo = GetOptions(options=options, wait_interval=wait_ms)
            gmo.match_options = mq.MQMO_MATCH_MSG_ID
            request = get_request(Descriptor(msg_id=msg_id or bytes(24)), gmo, UNLIMITED_LENGTH)
            if not msg_id:
                self._gets[(sync, wait_ms)] = request
        call = get(self.kernel, link, handle, request)
        while not call.waiting and (link.park is not None or link.again):
            yield from self.unpark(link)
            resume(self.kernel, call)
        return call

    def get(
        self, link: Connection, name: str, *, sync: bool = False, msg_id: bytes = b""
    ) -> Steps[Entry | None]:
        """MQGET without waiting."""
        call = yield from self.begin_get(link, name, sync=sync, msg_id=msg_id)
        self.found(link, call.entry)
        yield from self.answer(link)
        return call.entry

    def get_waiting(
        self, link: Connection, name: str, wait_ms: int, *, sync: bool = False
    ) -> Steps[Entry | None]:
        """MQGET that waits for a message."""
        call = yield from self.begin_get(link, name, sync=sync, wait_ms=wait_ms)
        if call.waiting:
            yield call
        if call.error is not None:
            raise call.error
        self.found(link, call.entry)
        yield from self.answer(link)
        return call.entry

    def found(self, link: Connection, entry: Entry | None) -> None:
        """A get has found this; it is not acknowledged yet."""

    def browse(self, link: Connection, name: str) -> Steps[list[Entry]]:
        """Look at every message, in the order a get would take them."""
        handle = yield from self.open(link, name)
        found: list[Entry] = []
        step = mq.MQGMO_BROWSE_FIRST
        while True:
            gmo = GetOptions(options=step | mq.MQGMO_NO_SYNCPOINT)
            request = get_request(Descriptor(), gmo, UNLIMITED_LENGTH)
            call = get(self.kernel, link, handle, request)
            while link.park is not None or link.again:
                yield from self.unpark(link)
                resume(self.kernel, call)
            yield int(link.durable_at)
            if call.entry is None:
                return found
            found.append(call.entry)
            step = mq.MQGMO_BROWSE_NEXT

    # ---- units of work

    def commit(self, link: Connection) -> Steps[None]:
        more = True
        while more:
            commit(self.kernel, link)
            more = link.again
            yield from self.answer(link)

    def back_out(self, link: Connection) -> Steps[None]:
        more = True
        while more:
            back_out(self.kernel, link)
            more = link.again
            yield from self.answer(link)

    def disconnect(self, link: Connection, vanished: bool) -> Steps[None]:
        more = True
        while more:
            disconnect(self.kernel, link, vanished)
            more = link.again
            yield from self.answer(link)
        for key in [key for key in self._handles if key[0] == link.connection_id]:
            del self._handles[key]

    def prepare(self, link: Connection, xid: XID) -> Steps[None]:
        two_phase.prepare(self.kernel, link, xid)
        while link.park is not None:
            yield from self.unpark(link)
            two_phase.prepare(self.kernel, link, xid)
        yield from self.answer(link)

    def commit_prepared(self, link: Connection, xid: XID) -> Steps[None]:
        two_phase.commit_prepared(self.kernel, link, xid)
        yield from self.answer(link)

    def back_out_prepared(self, link: Connection, xid: XID) -> Steps[None]:
        unit = two_phase.back_out_prepared(self.kernel, link, xid)
        while link.again:
            yield from self.answer(link)
            two_phase.go_on_backing_out(self.kernel, link, unit)
        yield from self.answer(link)

    def decide(self, link: Connection, xid: XID, committed: bool) -> Steps[None]:
        """An operator ends a unit of work that is in doubt."""
        two_phase.note_heuristic(self.kernel, link, xid, committed)
        if committed:
            yield from self.commit_prepared(link, xid)
        else:
            yield from self.back_out_prepared(link, xid)

    def commit_batch(
        self, link: Connection, owner: str, batch: int, xids: list[XID]
    ) -> Steps[BatchCommit]:
        """Prepared units of work and a row of the ledger; what was backed out beside is done in
        steps of its own, and then all is answered."""
        call = BatchCommit(owner, batch, xids)
        while not call.attempt(self.kernel, link):
            if link.park is not None:
                yield from self.unpark(link)
            else:
                self.engine.after_step()
                self.stepped(link)
        yield from self.answer(link)
        return call

    def forget(self, link: Connection, xid: XID) -> Steps[None]:
        """The transaction manager has taken note of what an operator decided."""
        two_phase.forget(self.kernel, link, xid)
        yield from self.answer(link)
