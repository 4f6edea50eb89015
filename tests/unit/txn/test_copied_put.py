"""Goal: a PUT with several targets is restored for each of its queues as it was put: copies without
reports and with their own expiry, one body for all; also when a queue is deleted, damaged or has
its messages in a prepared unit of work. Its record is told by the tools.

Method: engines on simulated disks, restarted; the records that they wrote.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import ternmq
from ternmq import constants as mq
from ternmq.base.errors import IntegrityError
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.property_area import find_property
from ternmq.inspect.dump import LogDump, Range, json_lines
from ternmq.inspect.folder import Folder
from ternmq.inspect.salvage import salvage_to_file
from ternmq.log.parameters import CIRCULAR, LogParameters
from ternmq.store.copying import copied_descriptor
from ternmq.testing import Simulation
from ternmq.testing.chance import Chance
from ternmq.testing.machine import Machine, create
from ternmq.testing.sim_disk import SimDisk
from ternmq.txn.families.message_records import (
    COPY,
    OWN_IDENTITY,
    OWN_PERSISTENCE,
    OWN_TOKEN,
    Target,
    image_at,
    pack_puts,
    unpack_put,
)
from ternmq.values.entry import packed_descriptor
from ternmq.values.entry_image import entry_from_image
from ternmq.values.xid import XID
from tests.unit.txn.record_samples import (
    area,
    image,
    list_targets,
    own_targets,
    with_properties,
)

pytestmark = pytest.mark.core

REPORT = mq.MQRO_EXCEPTION_WITH_FULL_DATA | mq.MQRO_PAN


def define(qmgr: ternmq.QueueManager) -> None:
    qmgr.define_queue("COPY", cap_expiry=36_000)
    qmgr.define_queue("ORIGINAL", stream_queue="COPY", stream_quality="MUSTDUP")


def put(qmgr: ternmq.QueueManager, data: bytes, expiry: float | None = None) -> None:
    descriptor = Descriptor(
        report=REPORT, reply_to_queue="ANSWERS", persistence=mq.MQPER_PERSISTENT
    )
    with qmgr.queue("ORIGINAL", options=mq.MQOO_OUTPUT) as queue:
        queue.put(data, descriptor=descriptor, expiry=expiry)


def test_target_then_it_reports_the_expiry_of_a_copy() -> None:
    for tenths in (-1, 1, 600, 999_999_999):
        target = Target(1, 2, 3)
        target.become_copy(tenths)
        assert (target.tenths, target.flags) == (tenths, COPY)
    rows = [(1, 2, 3, 0, 0), (4, 5, 6, COPY, 600), (7, 8, 0, COPY, 0)]
    targets, end = unpack_put(pack_puts([Target(*row) for row in rows]))
    found = [(one.queue_id, one.number, one.sequence, one.flags, one.expiry) for one in targets]
    assert (found, end) == (rows, 8 + 3 * 32)


def test_targets_when_there_are_more_than_65535_then_all_of_them_are_read() -> None:
    packed = pack_puts([Target(number, 1, 0) for number in range(70_000)])
    targets, end = unpack_put(packed)
    assert (len(targets), end) == (70_000, len(packed))
    assert targets[-1].queue_id == 69_999


def test_target_when_it_has_its_own_fields_then_the_message_has_them_there() -> None:
    first, own, last = unpack_put(pack_puts(own_targets()))[0]
    image = with_properties()
    shared = entry_from_image(image)
    assert first.apply(entry_from_image(image)).properties == area()
    made = own.apply(entry_from_image(image))
    assert made.correl_id == own.correl_id
    assert (made.priority, made.persistent) == (7, False)
    reported = Descriptor.unpack(packed_descriptor(made))
    assert (reported.priority, reported.persistence) == (7, 0)
    assert reported.accounting_token == b"token".ljust(32, b"\0")
    assert find_property(made.properties, "size") is not None
    assert (made.data, made.msg_id) == (shared.data, shared.msg_id)
    copy = last.apply(entry_from_image(image))
    assert (copy.persistent, copy.properties) == (True, area())
    assert copy.expiry_at == copy.put_ns + 2 * 10**9
    again = entry_from_image(image_at(own, image))
    assert (again.number, again.sequence, again.properties) == (8, 9, made.properties)


def test_target_of_a_list_then_the_message_has_its_own_identifiers_and_expiry() -> None:
    first, own, last = unpack_put(pack_puts(list_targets()))[0]
    shared = first.apply(entry_from_image(image()))
    made = own.apply(entry_from_image(image()))
    assert (made.msg_id, made.group_id) == (own.msg_id, own.group_id)
    assert made.expiry_at == made.put_ns + 5 * 10**9
    reported = Descriptor.unpack(packed_descriptor(made))
    assert (reported.feedback, reported.report) == (
        66_000,
        Descriptor.unpack(packed_descriptor(shared)).report,
    )
    assert last.apply(entry_from_image(image())).expiry_at == 0
    noted = Target(13, 8, 9)
    noted.expire(made, shared)
    noted.differ(made, shared)
    assert noted.pack() == own.pack()


def test_target_when_messages_differ_then_it_notes_what() -> None:
    first = entry_from_image(with_properties())
    for target in own_targets()[1:]:
        noted = Target(target.queue_id, target.number, target.sequence)
        noted.differ(target.apply(entry_from_image(with_properties())), first)
        assert noted.flags == target.flags & ~(COPY | OWN_PERSISTENCE * target.persistence)
        assert noted.pack()[32:] == target.pack()[32:] or target.persistence


def test_target_of_a_publication_then_the_message_has_its_own_identity() -> None:
    first = entry_from_image(image())
    other = entry_from_image(image())
    identity = b"ann".ljust(12) + b"\x01" * 32 + b"data".ljust(32)
    other.base = other.base[:196] + identity + other.base[272:]
    noted = Target(13, 8, 9)
    noted.differ(other, first)
    assert noted.flags == OWN_IDENTITY
    (read,), end = unpack_put(pack_puts([noted]))
    assert end == 8 + 32 + len(identity)
    made = Descriptor.unpack(packed_descriptor(read.apply(entry_from_image(image()))))
    assert (made.user_id, made.appl_identity_data) == ("ann", "data")
    assert made.accounting_token == b"\x01" * 32
    other.base = first.base[:208] + b"\x02" * 32 + first.base[240:]
    noted = Target(13, 8, 9)
    noted.differ(other, first)
    assert noted.flags == OWN_TOKEN


@pytest.mark.parametrize("flags", [2048, 1 << 31])
def test_target_when_a_flag_is_not_known_then_the_record_is_refused(flags: int) -> None:
    with pytest.raises(IntegrityError, match="flags"):
        unpack_put(pack_puts([Target(1, 2, 3, flags)]))


def test_descriptor_of_a_copy_when_nothing_differs_then_it_is_the_same_object() -> None:
    base = Descriptor(report=mq.MQRO_NAN).pack()
    assert copied_descriptor(base, -1) is base
    changed = Descriptor.unpack(copied_descriptor(base, 77))
    assert (changed.report, changed.expiry) == (mq.MQRO_NAN, 77)


@pytest.mark.parametrize("checkpoint", [False, True])
def test_restart_then_message_and_copy_are_as_they_were_put(checkpoint: bool) -> None:
    with Simulation() as simulation:
        qmgr = simulation.start()
        define(qmgr)
        put(qmgr, b"first", 100)
        if checkpoint:
            qmgr.checkpoint()
        with qmgr.unit_of_work():
            put(qmgr, b"second")
        simulation.crash()
        qmgr = simulation.start()
        with qmgr.queue("ORIGINAL") as original, qmgr.queue("COPY") as copies:
            messages, copied = list(original), list(copies)
        assert [one.data for one in messages] == [b"first", b"second"]
        assert [one.data for one in copied] == [b"first", b"second"]
        for one, other in zip(messages, copied):
            assert one.msg_id == other.msg_id
            assert one.descriptor.report == REPORT
            assert other.descriptor.report == mq.MQRO_PAN
            assert 30_000 < other.descriptor.expiry <= 36_000
        assert messages[0].descriptor.expiry <= 1_000
        assert messages[1].descriptor.expiry == mq.MQEI_UNLIMITED
        if not checkpoint:
            assert messages[0].data is copied[0].data


def test_restart_when_the_target_was_deleted_then_the_message_is_there() -> None:
    with Simulation() as simulation:
        qmgr = simulation.start()
        define(qmgr)
        put(qmgr, b"x")
        qmgr.delete_queue("COPY", purge=True)
        qmgr.define_queue("COPY")
        simulation.crash()
        qmgr = simulation.start()
        with qmgr.queue("ORIGINAL") as original, qmgr.queue("COPY") as copies:
            assert (original.depth, copies.depth) == (1, 0)


@pytest.mark.parametrize("damaged", ["ORIGINAL", "COPY"])
def test_restart_when_one_queue_is_damaged_then_the_other_has_its_message(damaged: str) -> None:
    with Simulation() as simulation:
        qmgr = simulation.start()
        define(qmgr)
        put(qmgr, b"x")
        qmgr.checkpoint()
        put(qmgr, b"y")
        catalog = qmgr.started.shell.engine.kernel.catalog
        folder = catalog.definitions[damaged].folder
        qmgr.checkpoint()
        put(qmgr, b"z")
        simulation.crash()
        for path in [one for one in simulation.disk.names if one.startswith(f"{folder}/")]:
            simulation.disk.spoil(path, lambda data: bytes(len(data)))
        qmgr = simulation.start()
        other = "COPY" if damaged == "ORIGINAL" else "ORIGINAL"
        with qmgr.queue(other) as queue:
            assert [one.data for one in queue] == [b"x", b"y", b"z"]
        with pytest.raises(ternmq.Damaged):
            qmgr.queue(damaged)
        if damaged == "COPY":
            with pytest.raises(ternmq.Damaged):
                put(qmgr, b"refused for its copy")


@pytest.mark.parametrize("commits", [False, True])
@pytest.mark.parametrize("checkpoints", [0, 3])
def test_prepared_unit_then_both_are_carried_and_decided_together(
    commits: bool, checkpoints: int
) -> None:
    xid = XID(1, b"global", b"branch")
    with Simulation() as simulation:
        qmgr = simulation.start()
        define(qmgr)
        qmgr.define_queue("BUSY")
        with qmgr.connect() as other:
            other.begin()
            with other.queue("ORIGINAL", options=mq.MQOO_OUTPUT) as queue:
                queue.put(b"in doubt", persistent=True)
            other.prepare(xid)
        for _ in range(checkpoints):
            with qmgr.queue("BUSY") as busy:
                for _ in range(20):
                    busy.put(bytes(5_000), persistent=True)
                    busy.get()
            qmgr.checkpoint()
        simulation.crash()
        qmgr = simulation.start()
        assert qmgr.in_doubt() == [xid]
        with qmgr.queue("ORIGINAL") as original, qmgr.queue("COPY") as copies:
            assert (original.depth, copies.depth) == (1, 1)
            if commits:
                qmgr.commit_prepared(xid)
            else:
                qmgr.backout_prepared(xid)
            expected = [b"in doubt"] if commits else []
            assert [one.data for one in original] == expected
            assert [one.data for one in copies] == expected


def test_target_that_nobody_has_open_when_checkpoints_go_on_then_it_keeps_its_copies() -> None:
    """A queue without handles is unloaded by checkpoints; a copy that comes while one goes on
    counts as use."""
    for seed in range(24, 32):
        disk = SimDisk()
        create(disk, LogParameters(CIRCULAR, 3, 2, 16, False))
        chance = Chance(seed)
        machine = Machine(disk, chance.branch("e"))
        machine.define("COPY")
        machine.define("ORIGINAL", stream_queue="COPY")
        expected: list[bytes] = []
        for _ in range(150):
            if chance.random() < 0.15:
                machine.engine.keeper.begin(chance.random() < 0.5, False)
            if chance.random() < 0.5:
                expected.append(b"%d " % len(expected))
                machine.put("ORIGINAL", expected[-1])
            else:
                machine.dawdle()
        assert machine.browse("COPY") == expected
        assert Machine(disk.survivor()).browse("COPY") == expected


def test_tools_when_a_record_has_copies_then_they_report_which(tmp_path: Path) -> None:
    import json

    with ternmq.embedded(tmp_path, "QM1", create=True, log_file_pages=64) as qmgr:
        define(qmgr)
        put(qmgr, b"told")
    with Folder(tmp_path) as folder:
        lines = json_lines(LogDump(folder, 0), Range(base=True), 64)
        records = [json.loads(line) for line in lines]
    (record,) = [one for one in records if len(one.get("targets", [])) == 2]
    first, second = record["targets"]
    assert (first["queue"], first["flags"], "copy" in first) == ("ORIGINAL", 0, False)
    assert (second["queue"], second["copy"], second["expiry_tenths"]) == ("COPY", True, 36_000)
    saved = tmp_path / "saved.jsonl"
    salvage_to_file(tmp_path, None, "COPY", saved)
    (message,) = [json.loads(line) for line in saved.read_text().splitlines()]
    assert bytes.fromhex(message["data"]) == b"told"
    assert message["number"] == second["number"]
