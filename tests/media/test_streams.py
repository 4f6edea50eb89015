"""Goal (P7): a queue with a stream is made anew from the log: its messages are there, its stream
begins anew as another incarnation, which readers are told, and its cursors stay.

Method: a linear log and an image; the queue's files are lost while the queue manager runs, or
before it starts.
"""

from __future__ import annotations

import pytest

from ternmq.base.errors import MQError
from ternmq.base.reasons import MQRC_MSG_SEQ_NUMBER_ERROR, MQRC_OBJECT_CHANGED
from ternmq.engine.backup import activate_backup, make_backup, replay_backup
from ternmq.kernel.cursors import cursors
from ternmq.testing.machine import Machine, create
from ternmq.testing.sim_disk import SimDisk
from ternmq.testing.stream_verbs import StreamClient, messages_of
from tests.media.bench import SINGLE, files_of, record, recreate
from tests.media.test_backup import full_extents, ship

pytestmark = [pytest.mark.core, pytest.mark.promise("P7")]


def begun() -> tuple[SimDisk, Machine, StreamClient]:
    disk = SimDisk()
    create(disk, SINGLE)
    machine = Machine(disk)
    machine.define("Q")
    client = StreamClient(machine)
    client.define("C", "Q")
    for number in range(1, 6):
        machine.put("Q", b"%d" % number)
    record(machine, "Q")
    for number in range(6, 9):
        machine.put("Q", b"%d" % number)
    client.advance("C", 4)
    machine.checkpoint()
    return disk, machine, client


def check_again(machine: Machine, client: StreamClient, before: int) -> None:
    assert machine.browse("Q") == [b"%d" % number for number in range(1, 9)]
    bounds = client.bounds("Q")
    assert bounds.incarnation != before
    assert [one.position for one in cursors(machine.kernel)] == [4]
    with pytest.raises(MQError) as changed:
        client.read("Q", 4, incarnation=before)
    assert changed.value.reason == MQRC_OBJECT_CHANGED
    with pytest.raises(MQError) as lost:
        client.read("Q", 4)
    assert lost.value.reason == MQRC_MSG_SEQ_NUMBER_ERROR
    machine.put("Q", b"9")
    call = client.read("Q", 4, skip_lost=True)
    ((number, data),) = messages_of(call)
    assert (number >= call.lost_to > 8, data) == (True, b"9")
    assert client.advance("C", number) == number
    machine.checkpoint()
    again = StreamClient(Machine(machine.disk))
    assert again.read_all("Q", number) == [(number, b"9")]


def test_queue_when_re_created_at_work_then_its_stream_begins_again() -> None:
    disk, machine, client = begun()
    before = client.bounds("Q").incarnation
    for path in files_of(disk, "Q", ""):
        disk.unlink(path)
    machine.kernel.locals["Q"].queue.damaged = "a test has removed its files"
    recreate(machine, "Q")
    check_again(machine, client, before)


def test_queue_when_re_created_by_restart_then_its_stream_begins_again() -> None:
    disk, _, client = begun()
    before = client.bounds("Q").incarnation
    for path in files_of(disk, "Q", ""):
        disk.unlink(path)
    machine = Machine(disk)
    if not any(line.startswith("Re-created") for line in machine.engine.report):
        recreate(machine, "Q")
    check_again(machine, StreamClient(machine), before)


def test_backup_when_activated_then_stream_and_cursor_go_on_there() -> None:
    disk, machine, client = begun()
    machine.settle()
    backup = disk.settled()
    make_backup(backup)
    sent = 0
    saved = 0
    for turn in range(6):
        for number in range(12):
            machine.put("Q", b"%d.%d " % (turn, number) + bytes(900))
        machine.checkpoint()
        client.advance("C", client.bounds("Q").next - 6)
        extents = full_extents(disk, machine, sent)
        if extents:
            sent = extents[-1]
            ship(disk, backup, extents)
            saved += replay_backup(backup).is_saved
    assert saved > 1
    reported = client.read_all("Q", client.bounds("Q").earliest)
    positions = [one.position for one in cursors(machine.kernel)]
    incarnation = client.bounds("Q").incarnation
    activate_backup(backup)
    machine = Machine(backup)
    client = StreamClient(machine)
    (cursor,) = cursors(machine.kernel)
    assert 4 < cursor.position <= positions[0]
    assert client.bounds("Q").incarnation == incarnation
    found = client.read_all("Q", cursor.position)
    assert found
    expected = dict(reported)
    assert all(expected.get(number, data) == data for number, data in found)
    assert [number for number, _ in found] == list(range(cursor.position, found[-1][0] + 1))
    machine.put("Q", b"after")
    assert client.read_all("Q", found[-1][0] + 1)[0][1] == b"after"
