"""Goal: every counter that has a field arrives there, every other field is empty, and records keep
to the sizes and shapes of z/OS.

Method: snapshots in which every number differs; records walked by their triplets; what the table
says is computed here once more, by hand.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pytest

from ternmq.base.counters import Range
from ternmq.codec.smf.record import KINDS, Stamp, header_values, pack_product, pack_smf
from ternmq.codec.smf.section_layout import LAYOUTS
from ternmq.telemetry.smf.counter_rows import ROOTS, ROWS
from ternmq.telemetry.smf.counter_sections import SectionPacker
from ternmq.telemetry.smf.counter_views import QueueView, TaskQueueView, TaskView
from ternmq.telemetry.smf.record_heads import RecordHead
from ternmq.telemetry.smf.statistics_records import SmfRecords
from ternmq.telemetry.source import CONVERSIONS, Source, Sources
from tests.unit.telemetry.measured import (
    END_NS,
    START_NS,
    attributes_of,
    channel_interval,
    interval,
    queue_sample,
    sections_of,
    task_record,
)

pytestmark = pytest.mark.core


def records(zone_s: int = 3600) -> SmfRecords:
    return SmfRecords("lpar7", lambda _: zone_s, lambda: END_NS + 10_000_000)


def path(root: object, text: str) -> Any:
    return functools.reduce(getattr, text.split("."), root)


def expected(source: Source, root: object) -> Any:
    """The value of a source, found another way than the writer finds it."""
    words, _, conversion = source.text.partition(":")
    parts = words.split()
    if len(parts) == 1 and isinstance(found := _term(parts[0], root), str | bytes):
        return found
    total = _term(parts[0], root)
    for sign, word in zip(parts[1::2], parts[2::2], strict=True):
        total = total + _term(word, root) if sign == "+" else total - _term(word, root)
    return CONVERSIONS[conversion](total) if conversion else total


def _term(word: str, root: object) -> Any:
    found = int(word) if word.isdigit() else path(root, word)
    return sum(found) if isinstance(found, list) else found


ROOT_OF: dict[str, Callable[[], object]] = {
    "QJST": lambda: interval().log,
    "QMST": lambda: interval().figures,
    "QQST": lambda: QueueView(interval().queues[0]),
    "WTAS": lambda: TaskView(task_record(), 2),
    "WQ": lambda: TaskQueueView(
        next(iter(task_record().account.queues.values())), bytes(range(16))
    ),
    "QMAC": lambda: TaskView(task_record(), 2),
}


@pytest.mark.parametrize("section", sorted(ROOT_OF))
def test_section_when_packed_then_each_row_is_in_its_field_and_the_rest_is_empty(
    section: str,
) -> None:
    root = ROOT_OF[section]()
    packer = SectionPacker(section)
    data = packer.pack(root)
    values = LAYOUTS[section].unpack(data, 0, len(data))
    empty = LAYOUTS[section].unpack(LAYOUTS[section].pack({}, len(data)), 0, len(data))
    reported = {row.field: expected(row.source, root) for row in ROWS[section]}
    for name, value in reported.items():
        if "[" not in name:
            assert values[name] == value, name
    for name, value in values.items():
        if name not in reported and name not in {one.partition("[")[0] for one in reported}:
            assert value == empty[name], name


def test_log_section_when_writes_are_of_two_kinds_then_each_has_its_entry() -> None:
    log = interval().log
    log.writes, log.one_block_writes, log.blocks = 10, 4, 100
    log.io_ns, log.one_block_ns, log.one_block_longest_ns = 9_000_000, 2_000_000, 600_000
    data = SectionPacker("QJST").pack(log)
    entries: Any = LAYOUTS["QJST"].unpack(data, 0, 720)["qjstio"]
    one, many, *second_copy = entries
    assert (one["qjstiocount"], one["qjstioci"]) == (4, 4)
    assert one["qjstiototio"] == 2000 * 4096
    assert one["qjstiomaxio"] == 600 * 4096
    assert (many["qjstiocount"], many["qjstioci"]) == (6, 96)
    assert many["qjstiototio"] == 7000 * 4096
    assert many["qjstiomaxio"] == log.larger_longest_ns * 4096 // 1000
    assert [entry["qjstiocount"] for entry in second_copy] == [0, 0]


def test_statistics_when_all_classes_are_on_then_every_record_is_written_once() -> None:
    found = dict(sections_of(one) for one in records().statistics(interval()))
    assert sorted(found) == sorted(
        f"115-{subtype}" for subtype in (1, 2, 5, 6, 7, 201, 215, 216, 231)
    )
    head = found["115-2"]["QWHS"][0]
    assert head["qwhsssid"] == "QM1"
    assert head["qwhsdurn"] == 5_000_000
    assert found["115-231"]["QWHS"][0]["qwhsdurn"] == 5_000_000 * 4096
    assert found["115-1"]["SMF"][0]["smfsid"] == "LPAR"
    assert found["115-1"]["SMF"][0]["smfrel"] == "945"
    # local time in the header, one hour east
    start_tod = 0x7D91048BCA000000 + (START_NS // 1000 + 3_600_000_000) * 4096
    assert head["qwhstime"] == start_tod
    names = [one["qqstqnam"] for one in found["115-216"]["QQST"]]
    assert names == ["QUEUE.0", "QUEUE.1"]
    assert found["115-231"]["QCTADP"] == []


@pytest.mark.parametrize(
    ("classes", "subtypes"),
    [("1", [1, 2, 201, 215]), ("2", [7]), ("3", [5, 6]), ("4", [231]), ("5", [216]), ("", [])],
)
def test_statistics_when_one_class_is_on_then_only_its_records(
    classes: str, subtypes: list[int]
) -> None:
    found = [sections_of(one)[0] for one in records().statistics(interval(classes=classes))]
    assert found == [f"115-{subtype}" for subtype in subtypes]


def test_queue_statistics_when_queues_are_many_then_they_go_into_records_of_48() -> None:
    made = interval(queues=100, classes="5")
    made.queues[7].reported = False  # STATQ(OFF)
    found = [sections_of(one)[1]["QQST"] for one in records().statistics(made)]
    assert [len(one) for one in found] == [48, 48, 3]
    names = [queue["qqstqnam"] for one in found for queue in one]
    assert names == [f"QUEUE.{number}" for number in range(100) if number != 7]


def test_queue_statistics_when_a_count_is_too_large_then_the_field_is_full() -> None:
    queue = queue_sample("Q", iter(range(1, 1000)))
    queue.depth = 1 << 40
    queue.figures.traffic.plain_puts.count = 1 << 40
    data = SectionPacker("QQST").pack(QueueView(queue))
    values = LAYOUTS["QQST"].unpack(data, 0, 672)
    assert values["qqstdpth"] == (1 << 31) - 1
    assert values["qqstnppt"] == 1 << 40


def test_time_on_queue_when_monitoring_is_off_then_it_is_the_mean_of_the_interval() -> None:
    sample = interval().queues[0]
    traffic = sample.figures.traffic
    assert QueueView(sample).short_lay_ns == sample.short_lay_ns > 0  # as MONQ has it
    sample.last_get_ns = sample.short_lay_ns = sample.long_lay_ns = 0
    traffic.plain_lay = Range()
    traffic.plain_lay.add_many(3, 1_000_000, 5_000_000, 9_000_000)
    traffic.persistent_lay = Range()
    traffic.persistent_lay.add(7_000_000)
    data = SectionPacker("QQST").pack(QueueView(sample))
    values = LAYOUTS["QQST"].unpack(data, 0, len(data))
    assert (values["qqstqtst"], values["qqstqtlt"]) == (4000, 4000)  # microseconds


def test_storage_when_intervals_follow_then_the_one_before_is_reported() -> None:
    maker = records()
    first, second = interval(classes="13"), interval(classes="13")
    first.storage.persistent_bytes = 1_000
    first.storage.plain_bytes = 2_000
    first.storage.buffer_limit_bytes = second.storage.buffer_limit_bytes = 4096 * 100
    second.storage.persistent_bytes = 4096 * 50
    second.storage.plain_bytes = 4096 * 10
    maker.statistics(first)
    found = dict(sections_of(one) for one in maker.statistics(second))
    pools = {one["qsphname"]: one for one in found["115-5"]["QSPH"]}
    persistent = pools["PERSISTENT MESSAGES"]
    assert (persistent["qsphstor"], persistent["qsphostor"]) == (4096 * 50, 1_000)
    pool = found["115-215"]["QPST"][0]
    assert (pool["qpstnbuf"], pool["qpstcbs"], pool["qpstcbsl"]) == (100, 40, 40)


def test_task_when_it_ends_then_totals_and_queues_are_reported_and_linked() -> None:
    found = dict(sections_of(one) for one in records().task(task_record()))
    assert sorted(found) == ["116-0", "116-1"]
    head = found["116-0"]["QWHC"][0]
    assert (head["qwhcaid"], head["qwhccn"], head["qwhcatyp"]) == ("alice", "payments", 2)
    task = found["116-1"]["WTAS"][0]
    assert task["wtaswqct"] == 2
    assert task["wtasflag"] == b"\x20\x80\x00\x00"
    start = (0x7D91048BCA000000 + START_NS // 1000 * 4096).to_bytes(8, "big")
    queues = found["116-1"]["WQ"]
    assert [one["correl"] for one in queues] == [start + b"\0\0\0\x01\x23\x45\x67\x89"] * 2
    assert [one["objname"] for one in queues] == ["ALIAS.0", "ALIAS.1"]
    assert [one["basename"] for one in queues] == ["QUEUE.0", "QUEUE.1"]
    assert found["116-1"]["WTID"][0]["wtidccn"] == "payments"


def test_task_when_it_goes_on_then_no_totals_and_no_end() -> None:
    found = [sections_of(one) for one in records().task(task_record(is_last=False))]
    assert [name for name, _ in found] == ["116-1"]
    assert found[0][1]["WTAS"][0]["wtasflag"] == b"\x00\x80\x00\x00"


def test_task_when_it_used_no_queue_then_the_record_has_three_triplets() -> None:
    ((name, found),) = [sections_of(one) for one in records().task(task_record(0, classes="3"))]
    assert name == "116-1"
    assert found["QWHS"][0]["qwhsnsda"] == 3
    assert found["WTAS"][0]["wtaswqct"] == 0
    assert "WQ" not in found


def test_task_when_it_used_many_queues_then_more_records_hold_them() -> None:
    found = [sections_of(one) for one in records().task(task_record(30, classes="3"))]
    assert [name for name, _ in found] == ["116-1", "116-2", "116-2"]
    names = [queue["basename"] for _, one in found for queue in one["WQ"]]
    assert names == [f"QUEUE.{number}" for number in range(30)]
    assert found[0][1]["WTAS"][0]["wtaswqct"] == 30


def test_task_when_nothing_was_put_or_got_then_smallest_sizes_say_so() -> None:
    record = task_record(0, classes="3")
    queue = record.account.queue("Q", "Q")
    queue.open.calls = 1
    ((_, found),) = [sections_of(one) for one in records().task(record)]
    values = found["WQ"][0]
    assert (values["getminms"], values["putminms"]) == (0x0FFFFFFF, 0x0FFFFFFF)
    assert values["minlatnt"] == 0


def test_channels_when_given_then_instances_have_their_blocks() -> None:
    found = [sections_of(one) for one in records().channels(channel_interval(120))]
    assert {name for name, _ in found} == {"116-10"}
    blocks = [block for _, one in found for block in one["QCST"]]
    assert [one["qcstchnm"] for one in blocks] == [f"CHANNEL.{number}" for number in range(120)]
    assert blocks[0]["qcstslcs"] == 0x1302
    (first, *_) = channel_interval(120).channels
    assert blocks[0]["qcstetmn"] == int(first.exit_shortest_ns) // 1000
    assert blocks[0]["qcstetmx"] == int(first.exit_longest_ns) // 1000
    assert blocks[0]["qcstcpra"] == first.compression_rate
    assert blocks[0]["qcstcnnm"] == "192.0.2.7"


def test_channels_when_nothing_was_measured_then_the_shortest_is_unset() -> None:
    made = channel_interval()
    made.channels[0].net_times = 0
    made.channels[0].net_shortest_ns = -1
    made.channels[0].exit_times = 0
    made.channels[0].exit_shortest_ns = -1
    ((_, found),) = [sections_of(one) for one in records().channels(made)]
    assert found["QCST"][0]["qcstntmn"] == 0x8FFFFFFF
    assert found["QCST"][0]["qcstntav"] == 0
    assert found["QCST"][0]["qcstetmn"] == 0x8FFFFFFF
    assert found["QCST"][0]["qcstetav"] == 0


@pytest.mark.parametrize("kind", sorted(set(KINDS) - {(115, 240)}))  # which nobody knows
def test_heads_when_made_from_templates_then_as_the_codec_makes_them(kind: tuple[int, int]) -> None:
    first = Stamp("SYS1", "QM1", START_NS, 3600, START_NS - 9, 77, 1, 2)
    later = Stamp("SYS1", "QM1", END_NS, -7200, START_NS, 5_000_000, 0x1_0000_0005, 7)
    head = RecordHead(*kind, first)
    row = KINDS[kind]
    values = header_values(*kind, later)
    assert head.smf(later, 1234) == pack_smf(row, values, 1234, 90405)
    assert head.product(later, row.triplets) == pack_product(row, row.triplets, values, 90405)


def test_sequence_numbers_when_records_are_made_then_they_go_up_by_one() -> None:
    maker = records()
    made = [*maker.statistics(interval(classes="1")), *maker.statistics(interval(classes="1"))]
    heads = [sections_of(one)[1]["QWHS"][0] for one in made]
    assert [one["qwhswseq"] for one in heads] == list(range(1, 9))
    assert [one["qwhsiseq"] for one in heads] == [1, 1, 1, 1, 2, 2, 2, 2]


def test_table_when_walked_then_every_row_names_a_field_and_no_field_has_two() -> None:
    for section, rows in ROWS.items():
        names = [row.field for row in rows]
        assert len(names) == len(set(names)), section
        assert section in ROOTS
        for name in names:
            group, _, member = name.partition("[")
            field = LAYOUTS[section].by_name[group]
            if member:
                assert member.partition(".")[2] in [one.name for one in field.members]


def test_sources_when_parsed_then_sums_constants_and_conversions_count() -> None:
    figures = interval().figures
    figures.opens = [1, 2, 3]
    figures.failed_opens = [10]
    figures.commits = 7
    figures.backouts = 5_000
    texts = ["opens + failed_opens", "commits", "12", "commits - 3", "backouts :us", "commits :s"]
    assert Sources([Source(text) for text in texts]).of(figures) == [16, 7, 12, 4, 5, 0]
    assert Sources([Source("opens")]).of(figures) == [6]
    assert Sources([Source("8")]).of(figures) == [8]
    with pytest.raises(KeyError):
        Source("commits :fortnights")


def test_snapshot_when_filled_then_no_two_numbers_are_the_same() -> None:
    figures = interval().figures
    numbers: list[int] = []
    for name in attributes_of(figures):
        value = getattr(figures, name)
        if isinstance(value, int):
            numbers.append(value)
    assert len(numbers) > 10
    assert len(numbers) == len(set(numbers))
