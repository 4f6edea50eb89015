"""Streams of queues: what is read by number, what cursors and retention let go of, and what a
restart finds of both. Machines in one thread on a simulated disk.
"""

from __future__ import annotations

import pytest

from ternmq.base.errors import MQError
from ternmq.base.reasons import (
    MQRC_MSG_SEQ_NUMBER_ERROR,
    MQRC_OBJECT_ALREADY_EXISTS,
    MQRC_OBJECT_CHANGED,
    MQRC_OBJECT_DAMAGED,
    MQRC_Q_SPACE_NOT_AVAILABLE,
    MQRC_UNKNOWN_OBJECT_NAME,
)
from ternmq.kernel.cursors import EARLIEST, LATEST, cursors
from ternmq.kernel.retention import retain
from ternmq.kernel.stream import await_number, stop_awaiting
from ternmq.log.parameters import CIRCULAR, LogParameters
from ternmq.ports.effect import Wakeable
from ternmq.store.stream.numbered_stream import Stream
from ternmq.testing.machine import Machine, create
from ternmq.testing.sim_clock import SimClock
from ternmq.testing.sim_disk import SimDisk
from ternmq.testing.stream_verbs import StreamClient, messages_of
from ternmq.testing.wreck import FATES, last_of
from ternmq.values.xid import XID

pytestmark = pytest.mark.core


def begun(**given: int) -> tuple[Machine, StreamClient]:
    disk = SimDisk()
    create(disk, LogParameters(CIRCULAR, 3, 2, 64, False))
    machine = Machine(disk)
    machine.define("Q", 0, **given)
    return machine, StreamClient(machine)


def crashed(machine: Machine) -> tuple[Machine, StreamClient]:
    """After a power loss that took everything which was not forced."""
    disk = machine.disk
    assert isinstance(disk, SimDisk)
    wreck = last_of(disk)
    again = Machine(wreck.disk_of([FATES["dropped"]] * len(wreck.pending)))
    return again, StreamClient(again)


def stream_in(machine: Machine, name: str = "Q") -> Stream:
    stream = machine.kernel.locals[name].queue.stream
    assert stream is not None
    return stream


def fill(machine: Machine, first: int, after: int, persistent: bool = True) -> None:
    for number in range(first, after):
        machine.put("Q", b"%d" % number, persistent=persistent)


def bodies(found: list[tuple[int, bytes]]) -> list[int]:
    return [int(data) for _, data in found]


def test_read_when_cursor_then_from_the_next_message_on() -> None:
    machine, client = begun()
    machine.put("Q", b"before")
    cursor = client.define("C", "Q", LATEST)
    assert cursor.position == 2
    fill(machine, 2, 7)
    call = client.read("Q", 2)
    assert messages_of(call) == [(n, b"%d" % n) for n in range(2, 7)]
    assert call.next == 7
    assert (call.earliest, call.end) == (2, 7)


def test_read_when_bounded_then_goes_on_where_it_ended() -> None:
    machine, client = begun()
    client.define("C", "Q")
    fill(machine, 1, 21)
    stream_in(machine).seal()
    fill(machine, 21, 31)
    number = 1
    seen: list[int] = []
    sizes = []
    while number < 31:
        call = client.read("Q", number, 28, messages_max=6)
        if not call.blocks:
            break
        sizes.append(len(call))
        seen += [n for n, _ in messages_of(call)]
        number = call.next
    assert seen == list(range(1, 28))
    assert max(sizes) == 6
    one = client.read("Q", 5, bytes_max=1)
    assert messages_of(one) == [(5, b"5")]
    two = client.read("Q", 5, bytes_max=2 * 417)
    assert [n for n, _ in messages_of(two)] == [5, 6]


def test_get_expiry_and_clear_when_done_then_stream_is_as_before() -> None:
    machine, client = begun()
    client.define("C", "Q")
    fill(machine, 1, 6)
    before = client.read_all("Q", 1)
    assert machine.get("Q") is not None
    machine.clear("Q")
    assert machine.drain("Q") == []
    assert client.read_all("Q", 1) == before


def test_unit_of_work_when_backed_out_then_not_in_stream_and_committed_in_order() -> None:
    machine, client = begun()
    client.define("C", "Q")
    one, two = machine.connect(), machine.connect()
    machine.put("Q", b"1", link=one, sync=True)
    machine.put("Q", b"2", link=two, sync=True)
    machine.put("Q", b"3", link=one, sync=True)
    assert len(client.read("Q", 1)) == 0
    machine.commit(two)
    machine.commit(one)
    machine.put("Q", b"4", link=two, sync=True)
    machine.back_out(two)
    machine.get("Q", sync=True)
    machine.back_out()
    assert client.read_all("Q", 1) == [(1, b"2"), (2, b"1"), (3, b"3")]


def test_waiting_get_when_stream_then_message_is_in_it() -> None:
    machine, client = begun()
    client.define("C", "Q")
    call = machine.get_call("Q", machine.connect(), sync=False, wait_ms=1000)
    machine.put("Q", b"1", link=machine.connect())
    assert call.entry is not None
    assert client.read_all("Q", 1) == [(1, b"1")]


@pytest.mark.parametrize("checkpoint", [False, True])
def test_restart_when_power_is_lost_then_same_range_and_no_number_again(checkpoint: bool) -> None:
    machine, client = begun()
    client.define("C", "Q")
    fill(machine, 1, 10)
    if checkpoint:
        machine.checkpoint()
    fill(machine, 10, 15)
    machine.get("Q")
    fill(machine, 15, 20, persistent=False)
    reported = client.read_all("Q", 1)
    assert len(reported) == 19
    incarnation = client.bounds("Q").incarnation
    machine, client = crashed(machine)
    found = client.read_all("Q", 1)
    assert len(found) == 14
    assert found == reported[:14]
    assert client.bounds("Q").incarnation == incarnation
    machine.put("Q", b"20")
    number = client.read_all("Q", client.bounds("Q").next - 1)[0][0]
    assert number > 19


def test_numbers_when_reserved_before_a_checkpoint_then_none_comes_again() -> None:
    machine, client = begun()
    client.define("C", "Q")
    machine.put("Q", b"1", persistent=False)
    machine.checkpoint()  # what was reserved is given back
    link = machine.connect()
    machine.put("Q", b"2", link=link, sync=True, persistent=False)
    machine.checkpoint()
    machine.commit(link)
    reported = client.read_all("Q", 2)
    assert reported == [(2, b"2")]
    machine, client = crashed(machine)
    assert machine.put("Q", b"3").sequence > 2


def test_restart_when_clean_then_numbers_go_on_without_a_gap() -> None:
    machine, client = begun()
    client.define("C", "Q")
    fill(machine, 1, 10, persistent=False)
    machine.checkpoint(clean=True)
    machine, client = crashed(machine)
    machine.put("Q", b"10")
    assert [n for n, _ in client.read_all("Q", 1)] == list(range(1, 11))


def test_cursor_when_advanced_then_never_goes_back_but_by_reset() -> None:
    machine, client = begun()
    client.define("C", "Q")
    fill(machine, 1, 10)
    assert client.advance("C", 6) == 6
    assert client.advance("C", 3) == 6
    with pytest.raises(MQError) as refused:
        client.advance("C", 11)
    assert refused.value.reason == MQRC_MSG_SEQ_NUMBER_ERROR
    machine, client = crashed(machine)
    assert cursors(machine.kernel)[0].position == 6
    assert client.reset("C", 2) == 2
    assert client.reset("C", LATEST) == client.bounds("Q").next
    assert client.reset("C", EARLIEST) == 1
    machine.checkpoint()
    machine, client = crashed(machine)
    assert cursors(machine.kernel, "Q")[0].position == 1


def test_trim_when_all_cursors_have_passed_then_blocks_and_files_go() -> None:
    machine, client = begun()
    client.define("A", "Q")
    client.define("B", "Q")
    fill(machine, 1, 11)
    machine.checkpoint()
    fill(machine, 11, 21)
    stream = stream_in(machine)
    stream.seal()
    client.advance("A", 21)
    assert stream.earliest == 1
    client.advance("B", 11)
    assert stream.earliest == 11
    assert [n for n, _ in client.read_all("Q", 11)] == list(range(11, 21))
    with pytest.raises(MQError) as lost:
        client.read("Q", 5)
    assert lost.value.reason == MQRC_MSG_SEQ_NUMBER_ERROR
    assert lost.value.detail == "number 5 is below the earliest one, 11"
    skipped = client.read("Q", 5, skip_lost=True)
    assert skipped.lost_to == 11
    assert messages_of(skipped)[0][0] == 11
    folder = machine.kernel.locals["Q"].queue.folder
    assert len([n for n in machine.disk.list(folder) if n.endswith(".stream")]) == 1
    machine.checkpoint()
    assert [n for n in machine.disk.list(folder) if n.endswith(".stream")] == ["0000000002.stream"]
    machine, client = crashed(machine)
    assert client.bounds("Q").earliest == 11
    assert len(machine.browse("Q")) == 20


def test_last_cursor_when_deleted_then_no_stream_and_no_files() -> None:
    machine, client = begun()
    client.define("C", "Q")
    fill(machine, 1, 11)
    machine.checkpoint()
    client.delete("C")
    with pytest.raises(MQError) as none:
        client.bounds("Q")
    assert none.value.reason == MQRC_UNKNOWN_OBJECT_NAME
    machine.checkpoint()
    folder = machine.kernel.locals["Q"].queue.folder
    assert not [n for n in machine.disk.list(folder) if n.endswith(".stream")]
    client.define("C", "Q")
    machine.put("Q", b"11")
    assert client.read_all("Q", 11) == [(11, b"11")]
    machine, client = crashed(machine)
    assert client.read_all("Q", 11) == [(11, b"11")]


def test_queue_when_deleted_then_cursors_go_and_incarnation_changes() -> None:
    machine, client = begun()
    client.define("C", "Q")
    fill(machine, 1, 4)
    before = client.bounds("Q").incarnation
    machine.delete("Q")
    assert cursors(machine.kernel) == []
    with pytest.raises(MQError) as unknown:
        client.advance("C", 2)
    assert unknown.value.reason == MQRC_UNKNOWN_OBJECT_NAME
    machine.define("Q")
    client.define("C", "Q")
    machine.put("Q", b"1")
    assert client.bounds("Q").incarnation != before
    with pytest.raises(MQError) as other:
        client.read("Q", 1, incarnation=before)
    assert other.value.reason == MQRC_OBJECT_CHANGED
    machine, client = crashed(machine)
    assert client.read_all("Q", 1) == [(1, b"1")]


def test_define_when_not_possible_then_refused() -> None:
    machine, client = begun()
    client.define("C", "Q")
    for name, queue, start, reason in (
        ("C", "Q", EARLIEST, MQRC_OBJECT_ALREADY_EXISTS),
        ("D", "NONE", EARLIEST, MQRC_UNKNOWN_OBJECT_NAME),
        ("D", "Q", 99, MQRC_MSG_SEQ_NUMBER_ERROR),
    ):
        with pytest.raises(MQError) as refused:
            client.define(name, queue, start)
        assert refused.value.reason == reason
    assert [one.name for one in cursors(machine.kernel)] == ["C"]


def test_prepared_unit_when_committed_after_restart_then_in_stream() -> None:
    machine, client = begun()
    client.define("C", "Q")
    xid = XID(1, b"g", b"b")
    link = machine.connect()
    machine.put("Q", b"prepared", link=link, sync=True)
    machine.prepare(xid, link)
    machine.checkpoint(full=True)
    machine.put("Q", b"1")
    machine, client = crashed(machine)
    machine.commit_prepared(xid)
    reported = client.read_all("Q", 1)
    assert [data for _, data in reported] == [b"1", b"prepared"]
    machine, client = crashed(machine)
    assert client.read_all("Q", 1) == reported


def test_queue_when_idle_then_unloaded_and_loaded_with_its_stream() -> None:
    machine, client = begun()
    client.define("C", "Q")
    fill(machine, 1, 11)
    reported = client.read_all("Q", 1)
    machine.close_handles()
    for _ in range(4):
        machine.checkpoint()
    assert machine.kernel.catalog.definitions["Q"].object_id not in machine.kernel.catalog.queues
    assert client.read_all("Q", 1) == reported
    machine.put("Q", b"11")
    assert client.read_all("Q", 11) == [(11, b"11")]
    machine.checkpoint()
    machine, client = crashed(machine)
    assert client.read_all("Q", 1) == [*reported, (11, b"11")]


def test_memory_when_more_than_its_share_then_blocks_are_read_from_files() -> None:
    machine, client = begun(max_message_length=1 << 20)
    client.define("C", "Q")
    memory = machine.kernel.catalog.stream_memory
    memory.stream_bytes_max = 1 << 16
    reported = []
    for number in range(1, 60):
        data = b"%d" % number + bytes(8000)
        machine.put("Q", data, persistent=number % 3 == 0)
        reported.append((number, data))
        if number % 5 == 0:
            stream_in(machine).seal()
    machine.settle()
    stream = stream_in(machine)
    assert stream.held <= memory.stream_bytes_max + (1 << 16)
    assert len(stream.files) == 1
    assert client.read_all("Q", 1) == reported
    assert memory.bytes == stream.held + stream.open.bytes


def test_places_of_blocks_when_very_many_then_old_files_report_them_again() -> None:
    machine, client = begun()
    client.define("C", "Q")
    for number in range(1, 13):
        machine.put("Q", b"%d" % number)
        stream = stream_in(machine)
        stream.seal()
        if number % 4 == 0:
            machine.checkpoint()
            stream.files[-1].is_fresh = False  # the next block begins another file
    stream = stream_in(machine)
    stream.evict(0)
    known = [file.blocks for file in stream.files]
    assert [0 if blocks is None else len(blocks) for blocks in known] == [4, 4, 4]
    stream.blocks_known_max = 4
    stream.forget_indexes()
    assert [file.blocks is None for file in stream.files] == [True, True, False]
    assert bodies(client.read_all("Q", 1)) == list(range(1, 13))
    assert bodies(client.read_all("Q", 6, 8)) == [6, 7]


def test_size_when_retained_by_it_then_oldest_leaves_stream_and_queue() -> None:
    machine, client = begun(retain=3, retain_megabytes=1, max_depth=100000)
    for number in range(1, 80):
        machine.put("Q", b"%d" % number + bytes(50000), persistent=False)
    stream = stream_in(machine)
    assert stream.earliest > 1
    for _ in range(20):
        machine.engine.tick()
        machine.settle()
    assert len(machine.browse("Q")) == 80 - stream.earliest
    assert len(client.read("Q", int(stream.earliest))) > 0


def test_age_when_retained_by_it_then_old_leaves_both() -> None:
    machine, client = begun(retain=2, retain_age_s=10)
    clock = machine.clock
    assert isinstance(clock, SimClock)
    fill(machine, 1, 6)
    clock.advance(8)
    stream_in(machine).seal()
    fill(machine, 6, 9)
    clock.advance(5)
    retain(machine.kernel)
    assert [n for n, _ in client.read_all("Q", 6)] == [6, 7, 8]
    assert client.bounds("Q").earliest == 6
    assert machine.drain("Q") == [b"6", b"7", b"8"]


def test_cursors_when_retained_by_them_then_passed_messages_leave_the_queue() -> None:
    machine, client = begun(retain=1)
    fill(machine, 1, 11)
    client.define("A", "Q")
    client.define("B", "Q")
    client.advance("A", 11)
    assert len(machine.browse("Q")) == 10
    client.advance("B", 6)
    assert [int(data) for data in machine.browse("Q")] == [6, 7, 8, 9, 10]
    machine, client = crashed(machine)
    assert [int(data) for data in machine.browse("Q")] == [6, 7, 8, 9, 10]


def test_retention_when_altered_then_older_messages_stay() -> None:
    machine, client = begun()
    fill(machine, 1, 6)
    client.define("C", "Q", LATEST)
    definition = machine.kernel.catalog.definitions["Q"]
    definition.attributes["retain"] = 1
    machine.kernel.coordinator.define(machine.kernel.catalog, definition)
    fill(machine, 6, 9)
    client.advance("C", 9)
    assert [int(data) for data in machine.browse("Q")] == [1, 2, 3, 4, 5]


def test_file_when_damaged_then_reader_is_notified_and_queue_is_well() -> None:
    machine, client = begun()
    client.define("C", "Q")
    fill(machine, 1, 6)
    machine.checkpoint()
    fill(machine, 6, 9)
    disk = machine.disk
    assert isinstance(disk, SimDisk)
    folder = machine.kernel.locals["Q"].queue.folder
    path = f"{folder}/0000000001.stream"
    disk.spoil(path, lambda data: data[:200] + bytes([data[200] ^ 1]) + data[201:])
    stream_in(machine).evict(0)
    with pytest.raises(MQError) as damaged:
        client.read("Q", 1)
    assert damaged.value.reason == MQRC_OBJECT_DAMAGED
    assert f"{path}, offset 0, numbers 1 to 5" in damaged.value.detail
    assert client.read_all("Q", 6) == [(n, b"%d" % n) for n in range(6, 9)]
    assert bodies([(0, data) for data in machine.browse("Q")]) == list(range(1, 9))
    disk.spoil(path, lambda _: b"")
    machine, client = crashed(machine)
    with pytest.raises(MQError) as missing:
        client.read("Q", 1)
    assert missing.value.reason == MQRC_OBJECT_DAMAGED
    machine.put("Q", b"9")
    machine.checkpoint()
    assert bodies(client.read_all("Q", 6)) == [6, 7, 8, 9]


class Bell(Wakeable):
    """Counts how often it is rung."""

    def __init__(self) -> None:
        self.rung = 0

    def wake(self) -> None:
        self.rung += 1


def test_watcher_when_number_comes_then_reported_once() -> None:
    machine, client = begun()
    client.define("C", "Q")
    link = machine.connect()
    handle = machine.drive(machine.verbs.open(link, "Q"))
    bell, other = Bell(), Bell()
    assert await_number(machine.kernel, link, handle, 1, bell)
    assert await_number(machine.kernel, link, handle, 1, other)
    stop_awaiting(machine.kernel, handle, other)
    machine.put("Q", b"1")
    assert (bell.rung, other.rung) == (1, 0)
    assert not await_number(machine.kernel, link, handle, 1, bell)


def test_disk_when_full_then_putters_are_notified_and_memory_is_bounded() -> None:
    machine, client = begun(max_message_length=1 << 20)
    client.define("C", "Q")
    disk = machine.disk
    assert isinstance(disk, SimDisk)
    memory = machine.kernel.catalog.stream_memory
    memory.stream_bytes_max = 1 << 16
    disk.capacity = disk.used() + 3000
    put = 0
    reason = 0
    while not reason and put < 200:
        try:
            machine.put("Q", bytes(8000), persistent=False)
        except MQError as full:
            reason = full.reason
            break
        stream_in(machine).seal()
        machine.settle()
        put += 1
    assert reason == MQRC_Q_SPACE_NOT_AVAILABLE
    assert stream_in(machine).unwritten < 3 * memory.stream_bytes_max
    disk.capacity = 1 << 40
    machine.settle()
    machine.put("Q", bytes(8000), persistent=False)
    assert len(client.read_all("Q", 1)) == put + 1


def test_numbers_reserved_by_a_unit_that_a_crash_ends_then_still_reserved_after_the_next() -> None:
    """Whoever was told of them, as a cursor that was advanced, must not find lower ones later."""
    machine, client = begun()
    client.define("C", "Q")
    fill(machine, 1, 16)
    machine.drain("Q")
    machine.checkpoint(full=True)
    machine.put("Q", b"never committed", link=machine.connect(), sync=True)
    machine.force(machine.engine.log.end_lsn)
    machine, client = crashed(machine)
    known = client.bounds("Q").next
    assert known > 16
    client.advance("C", known)
    machine.checkpoint(full=True)
    machine, client = crashed(machine)
    assert client.bounds("Q").next >= known
