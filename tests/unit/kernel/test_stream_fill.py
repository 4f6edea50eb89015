"""A cursor that starts with the earliest message, on a queue that holds some: all of them are in
the stream, in the order in which they became visible, whatever happens to them meanwhile and
wherever the power goes.
"""

from __future__ import annotations

import pytest

from ternmq.base.errors import MQError
from ternmq.base.reasons import (
    MQRC_MSG_SEQ_NUMBER_ERROR,
    MQRC_OBJECT_DAMAGED,
    MQRC_RESOURCE_PROBLEM,
)
from ternmq.codec.stream_block_format import BLOCK_HEADER_BYTES, HEAD_BYTES, body_at, check_block
from ternmq.kernel.cursors import EARLIEST, LATEST
from ternmq.kernel.retention import retain
from ternmq.log.parameters import CIRCULAR, LogParameters
from ternmq.store.stream.fill import StreamFill
from ternmq.testing.machine import Machine, create
from ternmq.testing.sim_disk import SimDisk
from ternmq.testing.stream_verbs import StreamClient
from ternmq.testing.wreck import FATES, last_of
from ternmq.values.xid import XID

pytestmark = pytest.mark.core


def begun(buffer: int = 0, **given: int) -> tuple[Machine, StreamClient]:
    disk = SimDisk()
    create(disk, LogParameters(CIRCULAR, 3, 2, 64, False))
    machine = Machine(disk)
    machine.define("Q", buffer, **given)
    return machine, StreamClient(machine)


def crashed(machine: Machine) -> tuple[Machine, StreamClient]:
    disk = machine.disk
    assert isinstance(disk, SimDisk)
    wreck = last_of(disk)
    again = Machine(wreck.disk_of([FATES["dropped"]] * len(wreck.pending)))
    return again, StreamClient(again)


def fill(machine: Machine, first: int, after: int, size: int = 0) -> list[tuple[int, bytes]]:
    """Persistent messages of all priorities; their numbers and data."""
    put = []
    for number in range(first, after):
        data = b"%d " % number + bytes(size)
        entry = machine.put("Q", data, priority=number % 10)
        put.append((int(entry.sequence), data))
    return put


@pytest.mark.parametrize("buffer", [0, 3_000])
def test_earliest_when_queue_has_messages_then_they_are_in_the_stream(buffer: int) -> None:
    machine, client = begun(buffer)
    put = fill(machine, 1, 60, 300)
    cursor = client.define("C", "Q", EARLIEST)
    assert cursor.position == 1
    put += fill(machine, 60, 80)
    assert client.read_all("Q", 1) == put
    assert client.bounds("Q").earliest == 1
    again, client = crashed(machine)
    assert client.read_all("Q", 1) == put
    again.checkpoint()
    again, client = crashed(again)
    assert client.read_all("Q", 1) == put


def filling(machine: Machine) -> StreamFill:
    """Begun, and none of its effects done."""
    stream = machine.kernel.locals["Q"].queue.stream
    assert stream is not None
    assert stream.fill is not None
    return stream.fill


def half_done(machine: Machine, client: StreamClient) -> StreamFill:
    """Define a cursor and write a part of what lies on the queue."""
    machine.dawdle = lambda: None  # type: ignore[method-assign]
    memory = machine.kernel.catalog.stream_memory
    memory.stream_bytes_max = 6_000
    client.define("C", "Q", EARLIEST)
    memory.stream_bytes_max = 1 << 20
    fill = filling(machine)
    assert fill.effect is not None
    machine.run(fill.effect)
    machine.finish(fill.effect)
    assert 1 < fill.next < fill.until
    return fill


def test_latest_when_queue_has_messages_then_begins_with_the_next() -> None:
    machine, client = begun()
    fill(machine, 1, 4)
    assert client.define("C", "Q", LATEST).position == 4
    assert client.read_all("Q", 4) == []


def test_fill_when_messages_are_got_meanwhile_then_each_is_there_once() -> None:
    machine, client = begun(6_000)
    put = fill(machine, 1, 80, 300)
    going = half_done(machine, client)
    while machine.get("Q") is not None:
        pass
    put += fill(machine, 80, 90)
    assert going.effect is not None
    assert client.read_all("Q", 1) == put
    machine.settle()
    assert filling_is_over(machine)
    again, client = crashed(machine)
    assert client.read_all("Q", 1) == put
    assert sorted(again.drain("Q")) == [data for _, data in put[79:]]


def filling_is_over(machine: Machine) -> bool:
    queue = machine.kernel.locals["Q"].queue
    stream = queue.stream
    return stream is not None and stream.fill is None and queue.held == 0


def test_checkpoint_when_filling_then_waits_and_reports_all_of_it() -> None:
    machine, client = begun(6_000)
    put = fill(machine, 1, 80, 300)
    half_done(machine, client)
    machine.clear("Q")
    machine.engine.keeper.begin(True, False)
    machine.settle()
    assert filling_is_over(machine)
    assert machine.engine.keeper.last_failure == ""
    _, client = crashed(machine)
    assert client.read_all("Q", 1) == put


def test_power_loss_when_filling_then_all_of_it_is_there_after_restart() -> None:
    machine, client = begun(6_000)
    put = fill(machine, 1, 80, 300)
    half_done(machine, client)
    machine.clear("Q")
    machine.put("Q", b"new")
    _, client = crashed(machine)
    assert client.read_all("Q", 1) == [*put, (80, b"new")]


@pytest.mark.parametrize("ends", ["committed", "backed out", "prepared"])
@pytest.mark.parametrize("persistent", [True, False])
def test_message_when_got_in_a_unit_that_has_not_ended_then_in_the_stream(
    ends: str, persistent: bool
) -> None:
    machine, client = begun()
    for number in (1, 2, 3):
        machine.put("Q", b"%d" % number, persistent=persistent)
    link = machine.connect()
    machine.get("Q", link=link, sync=True)
    machine.put("Q", b"invisible", link=machine.connect(), sync=True)
    xid = XID(1, b"x", b"")
    if ends == "prepared":
        machine.prepare(xid, link)
    client.define("C", "Q", EARLIEST)
    put = [(1, b"1"), (2, b"2"), (3, b"3")]
    assert client.read_all("Q", 1) == put
    if ends == "committed":
        machine.commit(link)
    elif ends == "backed out":
        machine.back_out(link)
    else:
        machine.commit_prepared(xid)
    assert client.read_all("Q", 1) == put
    _, client = crashed(machine)
    assert client.read_all("Q", 1) == (put if persistent else [])


def test_backouts_when_counted_then_stream_has_messages_as_they_were_put() -> None:
    machine, client = begun()
    machine.put("Q", b"1")
    for _ in range(3):
        machine.get("Q", sync=True)
        machine.back_out()
    client.define("C", "Q", EARLIEST)
    first = client.read("Q", 1).blocks[0].raw
    _, client = crashed(machine)
    assert client.read("Q", 1).blocks[0].raw == first


def test_stream_when_there_before_then_filled() -> None:
    machine, client = begun()
    put = fill(machine, 1, 4)
    client.define("LATE", "Q", LATEST)
    put += fill(machine, 4, 6)
    assert client.define("C", "Q", EARLIEST).position == 1
    assert client.read_all("Q", 1) == put
    assert client.define("TOO", "Q", EARLIEST).position == 1
    _, client = crashed(machine)
    assert client.read_all("Q", 1) == put


@pytest.mark.parametrize("sealed", ["", "live", "in a file", "in another file", "swept"])
def test_stream_when_messages_have_left_it_then_filled_with_those_that_lie_there(
    sealed: str,
) -> None:
    machine, client = begun(3_000 if sealed == "swept" else 1 << 20)
    client.define("C", "Q", EARLIEST)
    put = fill(machine, 1, 20, 200)
    stream = machine.kernel.locals["Q"].queue.stream
    assert stream is not None
    if sealed == "in a file":
        machine.checkpoint()
    put += fill(machine, 20, 40, 200)
    if sealed:
        stream.seal()
    if sealed == "in another file":
        machine.checkpoint()
    put += fill(machine, 40, 60, 200)
    for number in (2, 3, 30, 50):
        msg_id = next(
            one.msg_id
            for one in machine.drive(machine.verbs.browse(machine.link, "Q"))
            if one.sequence == number
        )
        machine.get("Q", msg_id=msg_id)
    client.advance("C", 45)
    earliest = int(stream.earliest)
    assert (earliest > 20) == bool(sealed)
    assert client.define("D", "Q", EARLIEST).position == 1
    assert client.bounds("Q").whole == earliest
    gone = [number for number in (2, 3, 30, 50) if number < earliest]
    left = [(number, data) for number, data in put if number not in gone]
    assert client.read_all("Q", 1) == left
    put += fill(machine, 60, 62)
    left += put[-2:]
    again, client = crashed(machine)
    assert client.read_all("Q", 1) == left
    assert client.bounds("Q").whole == earliest
    again.checkpoint()
    _, client = crashed(again)
    assert client.read_all("Q", 1) == left


def test_number_when_kept_without_a_cursor_then_bounds_show_that_messages_may_be_missing() -> None:
    machine, client = begun()
    fill(machine, 1, 9)
    client.define("C", "Q", EARLIEST)
    assert client.bounds("Q").whole == 9
    fill(machine, 9, 12)
    assert client.bounds("Q").whole == 9
    client.delete("C")
    machine.get("Q")
    client.define("C", "Q", EARLIEST)
    assert client.bounds("Q").whole == 12
    machine.checkpoint()
    again, client = crashed(machine)
    assert client.bounds("Q").whole == 12
    client.advance("C", 12)
    again.put("Q", b"more")
    again.checkpoint()
    client.advance("C", 13)
    assert client.bounds("Q").whole == client.bounds("Q").earliest == 13


def test_retention_when_stream_was_filled_then_what_came_before_leaves_the_queue_too() -> None:
    machine, client = begun()
    fill(machine, 1, 6)
    definition = machine.kernel.catalog.definitions["Q"]
    definition.attributes["retain"] = 1
    machine.kernel.coordinator.define(machine.kernel.catalog, definition)
    fill(machine, 6, 9)
    client.define("C", "Q", EARLIEST)
    client.advance("C", 4)
    retain(machine.kernel)
    assert sorted(int(data) for data in machine.browse("Q")) == [4, 5, 6, 7, 8]
    assert [number for number, _ in client.read_all("Q", 4)] == [4, 5, 6, 7, 8]


def test_cursor_when_deleted_while_filling_then_nothing_is_left() -> None:
    machine, client = begun(6_000)
    fill(machine, 1, 80, 300)
    half_done(machine, client)
    queue = machine.kernel.locals["Q"].queue
    client.delete("C")
    machine.settle()
    machine.checkpoint()
    machine.checkpoint()
    assert queue.stream is None
    assert queue.held == 0
    assert not [name for name in machine.disk.list(queue.folder) if name.endswith(".stream")]
    assert client.define("C", "Q", EARLIEST).position == 1
    assert len(client.read_all("Q", 1)) == 79


def test_queue_when_deleted_while_filling_then_gone() -> None:
    machine, client = begun(6_000)
    fill(machine, 1, 80, 300)
    half_done(machine, client)
    folder = machine.kernel.locals["Q"].queue.folder
    machine.clear("Q")
    machine.close_handles()
    machine.delete("Q")
    machine.settle()
    machine.checkpoint()
    machine.checkpoint()
    assert not machine.disk.exists(folder)


def test_disk_when_full_then_reader_is_notified_and_the_next_one_served() -> None:
    machine, client = begun(6_000)
    put = fill(machine, 1, 80, 300)
    disk = machine.disk
    assert isinstance(disk, SimDisk)
    going = half_done(machine, client)
    disk.capacity = disk.used()
    with pytest.raises(MQError) as full:
        client.read_all("Q", 1)
    assert full.value.reason == MQRC_RESOURCE_PROBLEM
    assert "its stream cannot be filled" in full.value.detail
    machine.settle()
    machine.engine.keeper.begin(False, False)
    machine.settle()
    assert "its stream cannot be filled" in machine.engine.keeper.last_failure
    disk.capacity = 1 << 40
    machine.settle()
    if going.effect is None:
        going.go_on()
    assert client.read_all("Q", 1) == put
    machine.settle()
    machine.checkpoint()
    _, client = crashed(machine)
    assert client.read_all("Q", 1) == put


def test_segment_when_damaged_then_who_reads_is_notified_what_is_lost() -> None:
    machine, client = begun(6_000)
    fill(machine, 1, 80, 300)
    machine.checkpoint(full=True)
    disk = machine.disk
    assert isinstance(disk, SimDisk)
    half_done(machine, client)
    folder = machine.kernel.locals["Q"].queue.folder
    late = [name for name in disk.list(folder) if name.endswith(".seg")]
    for name in late:
        disk.spoil(f"{folder}/{name}", lambda data: data[:900] + bytes(200) + data[1100:])
    fill(machine, 80, 82)
    machine.settle()
    with pytest.raises(MQError) as lost:
        client.read("Q", 1)
    assert lost.value.reason == MQRC_MSG_SEQ_NUMBER_ERROR
    assert client.bounds("Q").earliest == 80
    assert [number for number, _ in client.read_all("Q", 80)] == [80, 81]
    _, client = crashed(machine)
    with pytest.raises(MQError) as damaged:
        client.read("Q", 1)
    assert damaged.value.reason == MQRC_OBJECT_DAMAGED


def test_log_when_full_while_filling_then_putters_wait_for_all_of_it() -> None:
    disk = SimDisk()
    create(disk, LogParameters(CIRCULAR, 3, 2, 64, False))
    machine = Machine(disk)
    client = StreamClient(machine)
    machine.define("Q", 6_000)
    machine.define("OTHER", 1 << 20)
    put = fill(machine, 1, 180, 600)
    machine.dawdle = lambda: None  # type: ignore[method-assign]
    memory = machine.kernel.catalog.stream_memory
    memory.stream_bytes_max = 4_000
    client.define("C", "Q", EARLIEST)
    going = filling(machine)
    machine.engine.keeper.begin(True, False)
    steps = 0
    while going.stream.fill is going:
        machine.put("OTHER", bytes(4000))
        steps += 1
    assert steps > 64
    assert client.read_all("Q", 1) == put


def heads(client: StreamClient) -> list[tuple[bytes, bytes]]:
    found = []
    for part in client.read("Q", 1).blocks:
        block = part.raw
        count = check_block(block).count
        for at in range(*part.places):
            head = BLOCK_HEADER_BYTES + at * HEAD_BYTES
            found.append((block[head : head + HEAD_BYTES], body_at(block, count, at)))
    return found


@pytest.mark.parametrize("buffer", [1 << 20, 3_000])
def test_heads_when_filled_then_as_in_a_stream_that_was_there_before(buffer: int) -> None:
    machine, client = begun(buffer)
    client.define("C", "Q", EARLIEST)
    fill(machine, 1, 40, 300)
    machine.put("Q", b"transient", persistent=False, expiry=600)
    before = heads(client)
    assert len(before) == 40
    client.delete("C")
    client.define("C", "Q", EARLIEST)
    assert (machine.kernel.locals["Q"].queue.swept_alive > 10) == (buffer == 3_000)
    assert heads(client) == before
