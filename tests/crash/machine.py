"""Runs an engine in one thread, without the shell: every verb, force and effect happens when the
test says so.

An effect has two moments, when it touches the disk (`run`) and when the engine hears of it
(`finish`); a test may let other verbs come between them, which is what threads do. Verbs answer as
the shell's do: after the force.
"""

import random

from ternmq.base import constants as mq
from ternmq.base.attributes import LOCAL
from ternmq.base.errors import ForceFailed, IntegrityError, MQError
from ternmq.codec.mqgmo import GetOptions
from ternmq.codec.mqmd import Descriptor
from ternmq.codec.mqpmo import PutOptions
from ternmq.engine import definitions
from ternmq.engine.engine import Engine, create_queue_manager
from ternmq.kernel import two_phase
from ternmq.kernel.connection import Connection, Handle
from ternmq.kernel.ending import back_out, commit
from ternmq.kernel.get import get, resume
from ternmq.kernel.put import put
from ternmq.kernel.requests import UNLIMITED_LENGTH, GetCall, GetRequest, PutRequest
from ternmq.kernel.resolve import close, open_queue
from ternmq.log.parameters import LogParameters
from ternmq.mqi.getting import get_request
from ternmq.mqi.putting import put_request
from ternmq.ports.clock import Clock
from ternmq.ports.disk import Disk
from ternmq.ports.effect import Effect
from ternmq.ports.entropy import Entropy
from ternmq.store.entry import Entry
from ternmq.txn.unit import XID

OPEN = mq.MQOO_INPUT_SHARED | mq.MQOO_OUTPUT | mq.MQOO_BROWSE | mq.MQOO_INQUIRE


class StillClock(Clock):
    """Time that passes only by being looked at, the same for all: identifiers come from it, and
    one that was started again must not make those of its life before."""

    ns = 1_700_000_000_000_000_000

    def now_ns(self) -> int:
        StillClock.ns += 1000
        return StillClock.ns

    def monotonic_ns(self) -> int:
        return self.now_ns()


class KnownEntropy(Entropy):
    """Always the same bytes."""

    def bytes(self, count: int) -> bytes:
        return bytes(range(count))


def create(disk: Disk, parameters: LogParameters) -> None:
    create_queue_manager(disk, StillClock(), KnownEntropy(), "QM1", parameters)


class Machine:
    """A queue manager that was just started on this disk, with one connection for tests that
    need no more."""

    def __init__(self, disk: Disk, chance: random.Random | None = None) -> None:
        self.disk = disk
        self.engine = Engine(disk, StillClock())
        self.kernel = self.engine.kernel
        self.chance = chance
        self.running: list[tuple[Effect, Exception | None]] = []  # run, not yet finished
        self.link = self.connect()
        self.got: Entry | None = None  # by the last get
        self._handles: dict[tuple[int, str], Handle] = {}
        self._puts: dict[tuple[bool, int, bool], PutRequest] = {}
        self._gets: dict[tuple[bool, int], GetRequest] = {}

    def connect(self) -> Connection:
        return self.engine.connect("tester", "crash")

    # ---- effects --------------------------------------------------------------------------------

    def force(self, lsn: int) -> None:
        """As the forcer does it; a failure breaks the queue manager down."""
        engine = self.engine
        while engine.log.forced_lsn < lsn:
            error = engine.error_for("")
            if error is not None:
                raise error
            batch = engine.log.take()
            assert batch is not None, f"nothing to force up to {lsn}"
            try:
                engine.files.write(batch)
            except (ForceFailed, IntegrityError) as failure:
                engine.break_down(str(failure))
                raise engine.kernel.ending_error("") from failure
            engine.log.forced(batch)

    def run(self, effect: Effect) -> None:
        """The disk's part of an effect."""
        effects = self.engine.outbox.effects
        if effect in effects:
            effects.remove(effect)
        effect.claimed = True
        error: Exception | None = None
        try:
            if effect.after_lsn > self.engine.log.forced_lsn:
                self.force(effect.after_lsn)
            effect.run(self.disk)
        except (OSError, IntegrityError, ForceFailed) as failure:
            error = failure
        self.running.append((effect, error))

    def finish(self, effect: Effect) -> None:
        """The engine's part of an effect that was run."""
        for at, (one, error) in enumerate(self.running):
            if one is effect:
                del self.running[at]
                self.engine.finish(effect, error)
                return
        raise AssertionError("an effect that nobody runs")

    def settle(self) -> None:
        """Run and finish all effects."""
        while self.running or self.engine.outbox.effects:
            if not self.running:
                self.run(self.engine.outbox.effects[0])
            self.finish(self.running[0][0])

    def dawdle(self) -> None:
        """What the other threads may do meanwhile: nothing, begin an effect, or end one."""
        chance = self.chance
        if chance is None:
            self.settle()
            return
        for _ in range(chance.choice((0, 0, 1, 1, 2, 3))):
            effects = self.engine.outbox.effects
            if self.running and chance.random() < 0.6:
                self.finish(self.running[chance.randrange(len(self.running))][0])
            elif effects:
                self.run(effects[chance.randrange(len(effects))])

    def unpark(self, link: Connection) -> None:
        """Let the effect that a verb waits for come to its end."""
        effect = link.park
        link.park = None
        if effect is None or effect.done:
            return
        if not effect.claimed:
            self.run(effect)
        self.finish(effect)
        error = self.engine.error_for("")
        if error is not None:
            raise error

    def answer(self, link: Connection) -> None:
        """The end of every verb: housekeeping, then the force that the answer waits for."""
        self.engine.after_step()
        self.engine.outbox.woken = []
        self.stepped()
        self.force(int(link.durable_at))
        self.acknowledged()
        self.dawdle()

    def stepped(self) -> None:
        """A verb has done its work in memory."""

    def acknowledged(self) -> None:
        """The verb is about to answer."""

    # ---- verbs ----------------------------------------------------------------------------------

    def define(self, name: str, buffer_bytes: int = 1 << 20, **given: object) -> None:
        """A local queue; its buffers may be smaller than the command allows."""
        while not definitions.define(self.kernel, self.link, LOCAL, name, dict(given), False):
            self.unpark(self.link)
        definition = self.kernel.catalog.definitions[name]
        definition.attributes["persistent_buffer"] = buffer_bytes
        definition.attributes["nonpersistent_buffer"] = buffer_bytes
        self.link.depends_on(self.kernel.coordinator.define(self.kernel.catalog, definition))
        self.answer(self.link)

    def delete(self, name: str) -> None:
        for key in [key for key in self._handles if key[1] == name]:
            close(self.kernel, self._handles.pop(key), 0)
        while not definitions.delete(self.kernel, self.link, name, True):
            self.unpark(self.link)
        self.answer(self.link)

    def clear(self, name: str) -> None:
        for key in [key for key in self._handles if key[1] == name]:
            close(self.kernel, self._handles.pop(key), 0)
        while not definitions.clear(self.kernel, self.link, name):
            self.unpark(self.link)
        self.answer(self.link)

    def handle(self, link: Connection, name: str) -> Handle:
        key = (link.connection_id, name)
        while key not in self._handles:
            handle = open_queue(self.kernel, link, name, "", "", OPEN)
            if handle is None:
                self.unpark(link)
                definition = self.kernel.catalog.definitions[name]
                text = self.kernel.catalog.damaged.get(definition.object_id)
                if text is not None:
                    raise IntegrityError(text)
            else:
                self._handles[key] = handle
        return self._handles[key]

    def close_handles(self) -> None:
        for handle in self._handles.values():
            close(self.kernel, handle, 0)
        self._handles = {}

    def put(
        self,
        name: str,
        data: bytes,
        *,
        link: Connection | None = None,
        persistent: bool = True,
        priority: int = 0,
        sync: bool = False,
    ) -> Entry:
        link = link or self.link
        handle = self.handle(link, name)
        key = (persistent, priority, sync)
        request = self._puts.get(key)
        if request is None:
            options = mq.MQPMO_SYNCPOINT if sync else mq.MQPMO_NO_SYNCPOINT
            md = Descriptor(persistence=int(persistent), priority=priority)
            request = put_request(self.kernel, link, md, PutOptions(options=options), "MQPUT")
            self._puts[key] = request
        entry = put(self.kernel, link, handle, request, data)
        while entry is None:
            self.unpark(link)
            entry = put(self.kernel, link, handle, request, data)
        self.answer(link)
        return entry

    def get_call(
        self, name: str, link: Connection, *, sync: bool, wait_ms: int = 0, msg_id: bytes = b""
    ) -> GetCall:
        """Start a get; it may be left waiting."""
        handle = self.handle(link, name)
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
            self.unpark(link)
            resume(self.kernel, call)
        return call

    def get(
        self,
        name: str,
        *,
        link: Connection | None = None,
        sync: bool = False,
        msg_id: bytes = b"",
    ) -> Entry | None:
        link = link or self.link
        call = self.get_call(name, link, sync=sync, msg_id=msg_id)
        self.got = call.entry
        self.answer(link)
        return call.entry

    def commit(self, link: Connection | None = None) -> None:
        link = link or self.link
        commit(self.kernel, link)
        self.answer(link)

    def back_out(self, link: Connection | None = None) -> None:
        link = link or self.link
        more = True
        while more:
            back_out(self.kernel, link)
            more = link.again
            self.answer(link)

    def prepare(self, xid: XID, link: Connection | None = None) -> None:
        link = link or self.link
        two_phase.prepare(self.kernel, link, xid)
        self.answer(link)

    def commit_prepared(self, xid: XID) -> None:
        two_phase.commit_prepared(self.kernel, self.link, xid)
        self.answer(self.link)

    def back_out_prepared(self, xid: XID) -> None:
        unit = two_phase.back_out_prepared(self.kernel, self.link, xid)
        while self.link.again:
            self.answer(self.link)
            two_phase.go_on_backing_out(self.kernel, self.link, unit)
        self.answer(self.link)

    def checkpoint(self, full: bool = False, clean: bool = False) -> None:
        """Take one from its beginning to its end."""
        self.settle()
        self.engine.keeper.begin(full, clean)
        self.settle()

    def browse(self, name: str) -> list[bytes]:
        """Look at every message, in the order a get would take them."""
        handle = self.handle(self.link, name)
        found: list[bytes] = []
        step = mq.MQGMO_BROWSE_FIRST
        while True:
            gmo = GetOptions(options=step | mq.MQGMO_NO_SYNCPOINT)
            request = get_request(Descriptor(), gmo, UNLIMITED_LENGTH)
            call = get(self.kernel, self.link, handle, request)
            while self.link.park is not None or self.link.again:
                self.unpark(self.link)
                resume(self.kernel, call)
            self.answer(self.link)
            if call.entry is None:
                return found
            found.append(bytes(call.entry.data))
            step = mq.MQGMO_BROWSE_NEXT

    def drain(self, name: str) -> list[bytes]:
        """Get every message outside a unit of work."""
        found: list[bytes] = []
        while True:
            entry = self.get(name)
            if entry is None:
                return found
            found.append(bytes(entry.data))


def reason_of(error: MQError) -> str:
    return error.reason_name
