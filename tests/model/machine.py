"""The state machine: rules that do the same to the engine and to the model and compare the answers.

After every rule the store audits itself, and every depth must be one that the model allows.
"""

import copy

from hypothesis import strategies as st
from hypothesis.stateful import invariant, rule

from ternmq.base import reasons as rc
from ternmq.kernel.expiry import SCAN_MESSAGES_MAX
from ternmq.values.xid import XID
from tests.model.audit import audit_engine, audit_files
from tests.model.messages import MessageRules
from tests.model.reference import ANY, Letter, Model, ModelQueue
from tests.model.rig import PowerCut
from tests.model.stage import IDS, TENTH_NS, connections, names

UNIT_ENDS = ("commit", "commit", "back out", "leave", "vanish")
CUTS = ("commit", "effects", "checkpoint", "stop", "start", "put", "get")
ENDS = ("stop", "stop", "crash", "crash", *(f"cut {what}" for what in CUTS))
xids = st.integers(0, 3)


def xid_of(number: int) -> XID:
    return XID(7, b"global %d" % number, b"branch")


class VerbsMachine(MessageRules):
    """All rules."""

    # ---- administration

    @rule(
        what=st.sampled_from(["inhibit", "allow", "close", "close", "idle", "clear", "delete"]),
        number=connections,
        name=names,
        one=st.booleans(),
        two=st.booleans(),
        max_depth=st.sampled_from([3, 20, 200]),
    )
    def administer(
        self, what: str, number: int, name: str, one: bool, two: bool, max_depth: int
    ) -> None:
        queue = self.model.queues.get(name)
        if queue is None:
            self.define(name, max_depth, one, two, max_depth % 10)
        elif what == "inhibit":
            self.inhibit(queue, one, two)
        elif what == "allow":
            for each in self.model.queues.values():
                self.inhibit(each, False, False)
        elif what == "close":
            self.close(number, name)
        else:
            for one_of_them in range(3):
                self.close(one_of_them, name)
            if what == "clear":
                self.clear(queue)
            elif what == "delete":
                self.delete(queue, one)

    def delete(self, queue: ModelQueue, purge: bool) -> None:
        name = queue.name
        low, high = queue.depths(self.now_ns)
        used = any(key[1] == name for key in self.open)
        reason = self.order(lambda: self.rig.qmgr.delete_queue(name, purge=purge))
        if used:
            assert reason == rc.MQRC_OBJECT_IN_USE
        elif queue.putting or queue.getting or (low and not purge):
            assert reason == rc.MQRC_Q_NOT_EMPTY
        elif reason == rc.MQRC_Q_NOT_EMPTY:
            assert high
            assert not purge
        else:
            assert reason == 0
            del self.model.queues[name]
            self.note("queue deleted")

    def clear(self, queue: ModelQueue) -> None:
        name = queue.name
        used = any(key[1] == name for key in self.open) or queue.putting or queue.getting
        reason = self.order(lambda: self.rig.qmgr.clear_queue(name))
        assert reason == (rc.MQRC_OBJECT_IN_USE if used else 0)
        if not used:
            queue.visible = []
            self.note("queue cleared")

    def inhibit(self, queue: ModelQueue, put: bool, get: bool) -> None:
        qmgr = self.rig.qmgr
        assert self.order(lambda: qmgr.alter_queue(queue.name, put=int(put), get=int(get))) == 0
        queue.put_inhibited = put
        queue.get_inhibited = get

    def close(self, number: int, name: str) -> None:
        for key in [key for key in self.open if key[:2] == (number, name)]:
            queue = self.open.pop(key)
            self.model.handles.pop(key).unlock()
            self.ask(number, queue.close)

    # ---- units of work

    @rule(number=connections)
    def undo(self, number: int) -> None:
        self.back_out(number)

    @rule(
        number=connections,
        what=st.sampled_from(["commit", "commit", "back out", "leave", "vanish"]),
    )
    def end_unit(self, number: int, what: str) -> None:
        if what == "commit":
            self.commit(number)
        elif what == "back out" or number == 0:
            self.back_out(number)
        else:
            self.disconnect(number, what == "vanish")

    def commit(self, number: int) -> None:
        _, reason = self.ask(number, self.connection(number).commit, syncpoint=True)
        if reason != rc.MQRC_BACKED_OUT:
            assert reason == 0
            self.model.commit(number)

    def back_out(self, number: int) -> None:
        self.connection(number).backout()
        self.doomed.discard(number)
        self.model.back_out(number)

    def disconnect(self, number: int, vanished: bool) -> None:
        connection = self.connections.pop(number, None)
        if connection is None:
            return
        for key in [key for key in self.open if key[0] == number]:
            del self.open[key]
            self.model.handles.pop(key).unlock()
        reason = self.order(lambda: connection.transport.end(vanished))
        assert reason == (rc.MQRC_BACKED_OUT if number in self.doomed and not vanished else 0)
        self.doomed.discard(number)
        if vanished:
            self.model.back_out(number)
        else:
            self.model.commit(number)

    @rule(number=connections, xid=xids, what=st.sampled_from(["prepare", "commit", "back out"]))
    def two_phases(self, number: int, xid: int, what: str) -> None:
        if what == "prepare":
            self.prepare(number, xid)
        else:
            self.end_prepared(xid, what == "commit")

    def prepare(self, number: int, xid: int) -> None:
        prepared, reason = self.ask(
            number, lambda: self.connection(number).prepare(xid_of(xid)), syncpoint=True
        )
        if reason in (rc.MQRC_BACKED_OUT, rc.MQRC_RESOURCE_PROBLEM):
            return
        if xid_of(xid).global_id in self.model.prepared:
            assert reason == rc.MQRC_UOW_IN_PROGRESS
        else:
            assert reason == 0
            assert prepared == self.model.prepare(number, xid_of(xid).global_id)

    def end_prepared(self, xid: int, commit: bool) -> None:
        qmgr = self.rig.qmgr
        known = xid_of(xid).global_id in self.model.prepared
        end = qmgr.commit_prepared if commit else qmgr.backout_prepared
        reason = self.order(lambda: end(xid_of(xid)))
        assert reason == (0 if known else rc.MQRC_UNIT_OF_WORK_NOT_STARTED)
        if known:
            self.model.end_prepared(xid_of(xid).global_id, commit)

    # ---- time and background work

    @rule(
        what=st.sampled_from(
            ["run", "run", "settle", "checkpoint", "full", "time", "scan", "sweep"]
        ),
        count=st.integers(1, 4),
    )
    def background(self, what: str, count: int) -> None:
        if what == "run":
            self.rig.run_effects(count)
        elif what == "settle":
            self.rig.settle()
            audit_files(self.rig.engine, self.rig.disk)
        elif what == "time":
            self.rig.clock.ns += (1, 1, 5, 30)[count - 1] * TENTH_NS
        elif what == "scan":
            self.scan_for_expired()
        elif what == "sweep":
            with self.rig.shell.lock:
                self.rig.engine.sweeper.cycle()
        else:
            self.checkpoint(count > 1, what == "full")

    def scan_for_expired(self) -> None:
        self.rig.settle()
        self.rig.expire()
        self.rig.expire()
        if not self.rig.engine.coordinator.has_room(None, 16 * SCAN_MESSAGES_MAX):
            self.note("log full for the scanner")  # it may have left some
            return
        loaded = {queue.name for queue in self.rig.engine.kernel.catalog.queues.values()}
        for queue in self.model.queues.values():
            if queue.name in loaded:
                queue.forget_expired(self.now_ns)

    def checkpoint(self, whole: bool, full: bool) -> None:
        with self.rig.shell.lock:
            self.rig.engine.keeper.begin(full, False)
        if whole:
            self.rig.settle()

    # ---- stopping

    def restarted(self) -> None:
        self.connections.clear()
        self.open.clear()
        self.doomed.clear()
        self.rig.start()
        found = {xid.global_id for xid in self.rig.qmgr.in_doubt()}
        assert found == set(self.model.prepared)

    @rule(
        what=st.sampled_from(ENDS),
        budget=st.integers(0, 12),
        number=connections,
        name=names,
    )
    def end(self, what: str, budget: int, number: int, name: str) -> None:
        """The queue manager ends one way or another, and is started again."""
        look = budget % 2 == 0
        if what == "stop":
            self.stop_and_start(look)
        elif what == "crash":
            self.crash(look)
        else:
            self.power_cut(budget, what.partition(" ")[2], number, name)

    def stop_and_start(self, look: bool) -> None:
        if 0 in self.doomed:
            self.back_out(0)
        self.rig.stop()
        self.model.stop()
        self.restarted()
        if look:
            assert self.compare(self.model) == ""

    def crash(self, look: bool) -> None:
        self.model.crash()
        self.restarted()
        if look:
            assert self.compare(self.model) == ""

    def power_cut(self, budget: int, what: str, number: int, name: str) -> None:
        """The power fails in the middle of something, which then happened whole or not at all."""
        if number in self.doomed or 0 in self.doomed:
            return
        if what in ("put", "get"):
            self.handle(number, name)
        before = copy.deepcopy(self.model)
        self.rig.disk.budget = budget
        try:
            self._until_the_cut(what, number, name)
            candidates = [self.model]
            if what != "stop":
                self.model.crash()
        except PowerCut:
            self.note(f"power cut during {what}")
            candidates = self._outcomes(before, what, number, name)
        self.model = before
        self.restarted()
        differences = [self.compare(model) for model in candidates]
        assert "" in differences, differences
        self.model = candidates[differences.index("")]

    def _until_the_cut(self, what: str, number: int, name: str) -> None:
        if what == "commit":
            self.commit(number)
        elif what == "effects":
            self.rig.settle()
        elif what == "checkpoint":
            self.checkpoint(True, False)
        elif what == "stop":
            self.rig.stop()
            self.model.stop()
        elif what == "start":
            disk = self.rig.disk.copy()
            disk.budget = self.rig.disk.budget
            self.rig.disk = disk
            self.rig.try_start()
        elif what == "put":
            self.put(number, name, 500, 3, True, None, IDS[0], None, False)
        elif what == "get":
            self.get(number, name, ("any", 0), 1, "out", "")

    def _outcomes(self, before: Model, what: str, number: int, name: str) -> list[Model]:
        """What may be true after the cut: the thing has not happened, or it has all the same."""
        after = copy.deepcopy(before)
        outcomes = [before, after]
        queue = after.queues.get(name)
        if what == "commit":
            after.commit(number)
        elif what == "stop":
            after.commit(0)
        elif what == "put" and queue is not None:
            letter = Letter(self.next_tag - 1, 500, 3, True, IDS[0], bytes(24))
            after.put(number, queue, letter, False)
        elif what == "get" and queue is not None:
            taken = queue.first(ANY, after.handles[number, name, ""], self.now_ns)
            if taken is not None:
                after.take(number, queue, taken, False)
        stopped = copy.deepcopy(before)
        for model in outcomes:
            model.crash()
        if what == "stop":  # all was done but the clearing up
            stopped.stop()
            outcomes.append(stopped)
        return outcomes

    # ---- what always holds

    @invariant()
    def everything_is_sound(self) -> None:
        if not hasattr(self, "rig"):
            return
        assert self.rig.engine.error_for("") is None
        audit_engine(self.rig.engine, self.rig.disk)
        catalog = self.rig.engine.kernel.catalog
        for name, queue in self.model.queues.items():
            loaded = catalog.queues.get(catalog.definitions[name].object_id)
            if loaded is not None:
                low, high = queue.depths(self.now_ns)
                assert low <= loaded.depth <= high, f"{name}: {loaded.depth}, not {low} to {high}"
