"""Goal: a get that is taken back leaves no trace but a new message token, also after a restart.

Method: drive the engine by hand on a memory disk that is then restarted without a clean stop; the
message lies in memory, in a segment, in a unit of work, or was handed over.
"""

from __future__ import annotations

import pytest

from ternmq.admin.commands import objects
from ternmq.base import constants as mq
from ternmq.base.attributes import LOCAL
from ternmq.codec.mqi.mqgmo import GetOptions
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.mqi.mqpmo import PutOptions
from ternmq.engine.engine import Engine, create_queue_manager
from ternmq.kernel.connection import Connection, Handle
from ternmq.kernel.ending import back_out, commit
from ternmq.kernel.get import get_returnable, resume
from ternmq.kernel.put import put
from ternmq.kernel.requests import GetCall
from ternmq.kernel.resolve import open_queue
from ternmq.kernel.returning import answered, take_back
from ternmq.kernel.two_phase import commit_prepared, prepare
from ternmq.log.parameters import CIRCULAR, LogParameters
from ternmq.mqi.getting import get_request
from ternmq.mqi.putting import put_request
from ternmq.ports.memory_disk import MemoryDisk
from ternmq.ports.os_clock import OsClock
from ternmq.ports.os_entropy import OsEntropy
from ternmq.values.xid import XID

pytestmark = pytest.mark.core

NAMED = XID(1, b"global", b"branch")

PAGES = 64
OPEN = mq.MQOO_OUTPUT | mq.MQOO_INPUT_SHARED | mq.MQOO_BROWSE | mq.MQOO_INQUIRE


class Bench:
    """An engine on a memory disk; `restart` is a crash after the last force."""

    def __init__(self) -> None:
        self.disk = MemoryDisk()
        parameters = LogParameters(CIRCULAR, 3, 2, PAGES, False)
        create_queue_manager(self.disk, OsClock(), OsEntropy(), "QM", parameters)
        self.start()
        attributes: dict[str, object] = {"max_depth": 100_000, "persistent_buffer": 64 << 10}
        objects.define(self.kernel, self.link, LOCAL, "A", attributes, False)
        self.handle = self.open(self.link)

    def start(self) -> None:
        self.engine = Engine(self.disk, OsClock())
        self.kernel = self.engine.kernel
        self.link: Connection = self.engine.connect("user", "application")

    def restart(self) -> None:
        self.force()
        self.start()
        self.handle = self.open(self.link)

    def force(self) -> None:
        batch = self.engine.log.take()
        if batch is not None:
            self.engine.files.write(batch)
            self.engine.log.forced(batch)

    def run_effects(self) -> None:
        """Until none is left."""
        effects = self.engine.outbox.effects
        while effects:
            effect = effects.pop(0)
            self.force()
            effect.run(self.disk)
            self.engine.finish(effect, None)

    def open(self, link: Connection, name: str = "A") -> Handle:
        handle = open_queue(self.kernel, link, name, "", "", OPEN)
        while handle is None:
            self.run_effects()
            handle = open_queue(self.kernel, link, name, "", "", OPEN)
        return handle

    def put(
        self, text: str, *, persistent: bool = True, syncpoint: bool = False, report: int = 0
    ) -> None:
        md = Descriptor(persistence=int(persistent), report=report, reply_to_queue="REPLIES")
        sync = mq.MQPMO_SYNCPOINT if syncpoint else mq.MQPMO_NO_SYNCPOINT
        request = put_request(self.kernel, self.link, md, PutOptions(options=sync), "MQPUT")
        while put(self.kernel, self.link, self.handle, request, text.encode()) is None:
            self.run_effects()

    def get(self, options: int = mq.MQGMO_NO_SYNCPOINT, other: Handle | None = None) -> GetCall:
        handle = other or self.handle
        gmo = GetOptions(options=options, wait_interval=-1)
        request = get_request(Descriptor(), gmo, 1 << 20)
        call = get_returnable(self.kernel, handle.connection, handle, request)
        while handle.connection.park is not None:
            self.run_effects()
            resume(self.kernel, call)
        return call

    def texts(self, name: str = "A") -> list[str]:
        """All messages in order; they are got."""
        found = []
        handle = self.handle if name == "A" else self.open(self.link, name)
        call = self.get(other=handle)
        while call.entry is not None:
            found.append(call.entry.data[:20].decode().rstrip())
            answered(self.kernel, call)
            call = self.get(other=handle)
        return found

    @property
    def set_aside(self) -> int:
        return self.engine.coordinator.space.reserved


@pytest.mark.parametrize("persistent", [False, True])
def test_take_back_when_got_then_it_is_first_again(persistent: bool) -> None:
    bench = Bench()
    before = bench.set_aside
    for text in ("one", "two", "three"):
        bench.put(text, persistent=persistent)
    calls = [bench.get(), bench.get()]
    assert (bench.set_aside > before) is persistent
    for call in calls:
        take_back(bench.kernel, call)
    assert bench.set_aside == before
    assert bench.texts() == ["one", "two", "three"]


@pytest.mark.parametrize("sync", [mq.MQGMO_SYNCPOINT, mq.MQGMO_NO_SYNCPOINT])
def test_take_back_inside_a_group_then_the_group_goes_on_where_it_was(sync: int) -> None:
    bench = Bench()
    for number in (1, 2, 3):
        last = mq.MQMF_LAST_MSG_IN_GROUP if number == 3 else 0
        flags = mq.MQMF_MSG_IN_GROUP | last
        md = Descriptor(group_id=b"G" * 24, msg_seq_number=number, msg_flags=flags)
        request = put_request(bench.kernel, bench.link, md, PutOptions(), "MQPUT")
        assert put(bench.kernel, bench.link, bench.handle, request, b"%d" % number) is not None
    found = []
    for is_taken_back in (True, False, True, False, True, False):
        call = bench.get(mq.MQGMO_LOGICAL_ORDER | sync)
        assert call.entry is not None
        found.append(int(call.entry.data))
        if is_taken_back:
            take_back(bench.kernel, call)
        else:
            answered(bench.kernel, call)
    assert found == [1, 1, 2, 2, 3, 3]


@pytest.mark.parametrize("forced_between", [False, True])
def test_take_back_when_crashed_after_it_then_it_is_there(forced_between: bool) -> None:
    bench = Bench()
    for text in ("one", "two"):
        bench.put(text)
    call = bench.get()
    if forced_between:
        bench.force()
    take_back(bench.kernel, call)
    bench.restart()
    assert bench.texts() == ["one", "two"]
    bench.restart()
    assert bench.texts() == []


@pytest.mark.parametrize("persistent", [False, True])
def test_take_back_when_handed_over_then_it_is_on_the_queue(persistent: bool) -> None:
    bench = Bench()
    before = bench.set_aside
    other = bench.open(bench.engine.connect("user", "other"))
    call = bench.get(mq.MQGMO_WAIT | mq.MQGMO_NO_SYNCPOINT, other)
    assert call.waiting
    bench.put("one", persistent=persistent)
    assert call.entry is not None
    assert bench.texts() == []
    take_back(bench.kernel, call)
    assert bench.set_aside == before
    if persistent:
        bench.restart()
    assert bench.texts() == ["one"]


def test_take_back_when_another_waits_then_that_one_is_served() -> None:
    bench = Bench()
    first = bench.open(bench.engine.connect("user", "first"))
    second = bench.open(bench.engine.connect("user", "second"))
    wait = mq.MQGMO_WAIT | mq.MQGMO_NO_SYNCPOINT
    calls = [bench.get(wait, first), bench.get(wait, second)]
    bench.put("one")
    [served] = [call for call in calls if call.entry is not None]
    [waiting] = [call for call in calls if call.entry is None]
    take_back(bench.kernel, served)
    assert waiting.entry is not None
    assert waiting.entry.data == b"one"
    answered(bench.kernel, waiting)
    bench.restart()
    assert bench.texts() == []


@pytest.mark.parametrize("ending", ["commit", "back out", "crash"])
@pytest.mark.parametrize("persistent", [False, True])
def test_take_back_when_in_a_unit_then_only_that_get_is_undone(
    ending: str, persistent: bool
) -> None:
    bench = Bench()
    before = bench.set_aside
    for text in ("one", "two", "three"):
        bench.put(text, persistent=persistent)
    answered(bench.kernel, bench.get(mq.MQGMO_SYNCPOINT))
    bench.put("four", persistent=persistent, syncpoint=True)
    call = bench.get(mq.MQGMO_SYNCPOINT)
    assert call.entry is not None
    assert call.entry.data == b"two"
    take_back(bench.kernel, call)
    again = bench.get(mq.MQGMO_SYNCPOINT)
    assert again.entry is call.entry or again.entry is not None
    take_back(bench.kernel, again)
    if ending == "commit":
        commit(bench.kernel, bench.link)
        expected = ["two", "three", "four"]
    else:
        if ending == "back out":
            back_out(bench.kernel, bench.link)
        expected = ["one", "two", "three"]
    if ending != "crash":
        assert bench.set_aside == before
    if persistent:
        bench.restart()
        assert bench.texts() == expected
    elif ending != "crash":
        assert bench.texts() == expected


def test_take_back_when_the_unit_was_backed_out_then_nothing_more_happens() -> None:
    bench = Bench()
    bench.put("one")
    call = bench.get(mq.MQGMO_SYNCPOINT)
    back_out(bench.kernel, bench.link)
    take_back(bench.kernel, call)
    assert bench.texts() == ["one"]


@pytest.mark.parametrize("ending", ["commit", "back out", "prepare", "crash"])
@pytest.mark.parametrize("persistent", [False, True])
def test_take_back_when_its_own_unit_has_put_it_then_it_has_its_place_among_the_puts(
    ending: str, persistent: bool
) -> None:
    bench = Bench()
    before = bench.set_aside
    for text in ("one", "two", "three"):
        bench.put(text, persistent=persistent, syncpoint=True)
    first = bench.get(mq.MQGMO_SYNCPOINT)
    second = bench.get(mq.MQGMO_SYNCPOINT)
    assert [call.entry.data for call in (first, second) if call.entry] == [b"one", b"two"]
    take_back(bench.kernel, first)
    answered(bench.kernel, second)
    expected = ["one", "three"]
    if ending == "commit":
        commit(bench.kernel, bench.link)
    elif ending == "prepare":
        assert prepare(bench.kernel, bench.link, NAMED)
        bench.restart()
        assert bench.handle.local is not None
        assert bench.handle.local.queue.depth == (2 if persistent else 0)
        commit_prepared(bench.kernel, bench.link, NAMED)
    else:
        expected = []
        if ending == "back out":
            back_out(bench.kernel, bench.link)
    if ending in ("commit", "back out"):
        assert bench.set_aside == before
    if persistent or ending == "crash":
        bench.restart()
    assert bench.texts() == (expected if persistent or ending == "commit" else [])


@pytest.mark.parametrize("commits", [False, True])
def test_take_back_after_the_unit_that_had_put_it_ended_then_nothing_is_lost_or_doubled(
    commits: bool,
) -> None:
    bench = Bench()
    bench.put("one", syncpoint=True)
    call = bench.get(mq.MQGMO_SYNCPOINT)
    (commit if commits else back_out)(bench.kernel, bench.link)
    take_back(bench.kernel, call)
    bench.restart()
    assert bench.texts() == (["one"] if commits else [])


@pytest.mark.parametrize("options", [mq.MQGMO_SYNCPOINT, mq.MQGMO_BROWSE_FIRST])
def test_get_that_waits_when_its_own_unit_puts_then_it_is_served(options: int) -> None:
    bench = Bench()
    call = bench.get(options | mq.MQGMO_WAIT)
    outside = bench.get(mq.MQGMO_WAIT, bench.open(bench.link))
    elsewhere = bench.get(options | mq.MQGMO_WAIT, bench.open(bench.engine.connect("u", "b")))
    calls = (call, outside, elsewhere)
    bench.put("mine", syncpoint=True)
    assert [one.waiting for one in calls] == [True] * 3  # the put is a verb of the same connection
    bench.run_effects()
    assert [one.waiting for one in calls] == [False, True, True]
    assert call.entry is not None
    assert call.entry.data == b"mine"


def test_take_back_when_it_was_swept_then_it_is_there_after_a_checkpoint() -> None:
    bench = Bench()
    names = [f"{number:03}" for number in range(120)]
    for name in names:
        bench.put(name.ljust(2000))
        bench.run_effects()
    queue = bench.kernel.locals["A"].queue
    assert queue.swept_alive > 0
    bench.force()
    calls = [bench.get() for _ in range(50)]
    bench.engine.keeper.begin(False, False)
    bench.run_effects()
    for call in calls[::2]:
        take_back(bench.kernel, call)
    for call in calls[1::2]:
        answered(bench.kernel, call)
    bench.engine.keeper.begin(False, False)
    bench.run_effects()
    bench.restart()
    assert bench.texts() == names[:50:2] + names[50:]


def test_get_when_the_log_has_no_room_to_take_it_back_then_it_is_parked() -> None:
    bench = Bench()
    bench.put("x" * 100_000)
    space = bench.engine.coordinator.space
    room = space.limit_lsn - bench.engine.log.end_lsn - space.reserved
    space.reserve(room - 50_000)
    before = space.reserved
    request = get_request(Descriptor(), GetOptions(options=mq.MQGMO_NO_SYNCPOINT), 1 << 20)
    call = get_returnable(bench.kernel, bench.link, bench.handle, request)
    assert call.entry is None
    assert bench.link.park is not None
    assert space.reserved == before
    space.release(room - 50_000)
    assert len(bench.texts()) == 1


def test_take_back_when_it_browses_then_its_cursor_is_cleared_away() -> None:
    bench = Bench()
    for number in range(300):
        bench.put(f"{number}", persistent=False)
    gmo = GetOptions(options=mq.MQGMO_BROWSE_FIRST)
    md = Descriptor(correl_id=b"none".ljust(24, b"\0"))
    request = get_request(md, gmo, 1 << 20)
    call = get_returnable(bench.kernel, bench.link, bench.handle, request)
    assert bench.link.again
    queue = bench.kernel.locals["A"].queue
    cursors = len(queue.cursors)
    take_back(bench.kernel, call)
    assert len(queue.cursors) == cursors - 1


# ---- a get that makes a COD report


def reporting_bench(persistent: bool) -> Bench:
    bench = Bench()
    objects.define(bench.kernel, bench.link, LOCAL, "REPLIES", {}, False)
    for text in ("one", "two"):
        bench.put(text, persistent=persistent, report=mq.MQRO_COD_WITH_DATA)
    return bench


@pytest.mark.parametrize("persistent", [False, True])
def test_take_back_when_the_delivery_was_reported_then_the_report_goes_too(
    persistent: bool,
) -> None:
    bench = reporting_bench(persistent)
    before = bench.set_aside
    take_back(bench.kernel, bench.get())
    assert bench.set_aside == before
    if persistent:
        bench.restart()
    assert bench.texts("REPLIES") == []
    assert bench.texts() == bench.texts("REPLIES") == ["one", "two"]


def test_take_back_when_the_report_was_read_then_the_message_comes_back_alone() -> None:
    bench = reporting_bench(True)
    call = bench.get()
    assert bench.texts("REPLIES") == ["one"]
    take_back(bench.kernel, call)
    assert bench.texts() == ["one", "two"]


@pytest.mark.parametrize("persistent", [False, True])
def test_take_back_in_a_unit_when_the_delivery_was_reported_then_the_report_leaves_the_unit(
    persistent: bool,
) -> None:
    bench = reporting_bench(persistent)
    first = bench.get(mq.MQGMO_SYNCPOINT)
    second = bench.get(mq.MQGMO_SYNCPOINT)
    take_back(bench.kernel, first)
    answered(bench.kernel, second)
    commit(bench.kernel, bench.link)
    if persistent:
        bench.restart()
    assert bench.texts("REPLIES") == ["two"]
    assert bench.texts() == ["one"]
    assert bench.texts("REPLIES") == ["one"]


def test_take_back_in_a_unit_when_it_is_backed_out_then_both_are_there_and_no_report() -> None:
    bench = reporting_bench(True)
    first = bench.get(mq.MQGMO_SYNCPOINT)
    answered(bench.kernel, bench.get(mq.MQGMO_SYNCPOINT))
    take_back(bench.kernel, first)
    back_out(bench.kernel, bench.link)
    bench.restart()
    assert bench.texts("REPLIES") == []
    assert bench.texts() == ["one", "two"]


def test_get_when_its_report_has_to_wait_then_no_room_stays_set_aside() -> None:
    bench = reporting_bench(True)
    answered(bench.kernel, bench.get())
    bench.engine.keeper.begin(True, False)
    bench.run_effects()
    bench.restart()
    before = bench.set_aside
    request = get_request(Descriptor(), GetOptions(options=mq.MQGMO_NO_SYNCPOINT), 1 << 20)
    call = get_returnable(bench.kernel, bench.link, bench.handle, request)
    parks = 0
    while bench.link.park is not None:  # until both queues are loaded
        assert (call.entry, bench.set_aside) == (None, before)
        bench.run_effects()
        resume(bench.kernel, call)
        parks += 1
    assert parks > 0
    assert call.entry is not None
    answered(bench.kernel, call)
    assert bench.set_aside == before
    assert bench.texts("REPLIES") == ["one", "two"]
