"""Goal: metadata and data of resources are what IBM's programs take, and every value has a source.

Method: the table against limits of amqsrua and the names of mq-metric-samples' exporter; messages
packed and read again; views of snapshots with a number in every counter.
"""

from __future__ import annotations

import pytest

from ternmq.base import constants_all as mq
from ternmq.base.counters import QueueFigures
from ternmq.codec.pcf.structures import unpack_pcf
from ternmq.telemetry.metrics import metric_rows
from ternmq.telemetry.monitor import monitor_rows as rows
from ternmq.telemetry.monitor.monitor_messages import (
    OBJECT_NAME,
    DataMessages,
    data_topic,
    metadata,
)
from ternmq.telemetry.monitor.monitor_views import MQIView, QueueView
from ternmq.telemetry.snapshot import MONITOR, QueueSample, StatisticsInterval
from tests.conformance.pubsub.system_topics import metric_name

AMQSRUA_BUFFER = 4096
LONG_NAME = "Q" * 48


def test_messages_when_packed_then_they_fit_the_buffer_of_amqsrua() -> None:
    for topic_string, message in metadata(LONG_NAME):
        packed = message.pack()
        assert len(packed) <= AMQSRUA_BUFFER, topic_string
        assert unpack_pcf(packed) == message


def test_numbers_when_discovered_then_each_once() -> None:
    for one in rows.CLASSES:
        assert [kind.number for kind in one.types] == list(range(len(one.types)))
        for kind in one.types:
            numbers = [element.number for element in kind.elements]
            assert numbers == sorted(set(numbers)), kind.name


def test_names_when_made_by_the_exporter_then_those_that_we_serve_ourselves() -> None:
    served = {row.name for row in metric_rows.ROWS if row.scheme == metric_rows.EXPORTER}
    others = set()
    for one, prefix in ((rows.CLASSES[2], "ibmmq_qmgr"), (rows.CLASSES[3], "ibmmq_queue")):
        for kind in one.types:
            for element in kind.elements:
                name = f"{prefix}_{metric_name(element.description, element.datatype)}"
                if name not in served:
                    others.add((kind.name, element.number))
    assert ("PUT", 2) not in others
    assert ("PUBLISH", 2) not in others
    assert len(others) < 40


def test_data_when_counted_then_each_element_under_its_number() -> None:
    interval = StatisticsInterval(MONITOR, "QM1", 0, 10_000_000_000)
    interval.figures.connects = 7
    interval.figures.topics.counts.plain_puts = 3
    interval.figures.topics.counts.persistent_put1s = 2
    view = MQIView(interval)
    statmqi = rows.CLASSES[2]
    found = {}
    for kind in statmqi.types:
        message = DataMessages(statmqi, kind).message("QM1", view, 10_000_000)
        found[kind.name] = {
            one.parameter: one.value for one in unpack_pcf(message.pack()).parameters
        }
        assert {element.number for element in kind.elements} <= set(found[kind.name])
        assert found[kind.name][rows.INTERVAL] == 10_000_000
    assert found["CONNDISC"][0] == 7
    assert found["PUBLISH"][0] == 5
    assert (found["PUBLISH"][4], found["PUBLISH"][5]) == (3, 2)


def test_queue_when_puts_were_handed_over_then_their_part_in_hundredths_of_a_percent() -> None:
    figures = QueueFigures(0, 0, 0)
    for _ in range(3):
        figures.traffic.plain_puts.add(10)
    figures.traffic.handed_over_puts = 1
    figures.traffic.handed_over_bytes = 10
    figures.traffic.plain_lay.add(3_000_000)
    view = QueueView(QueueSample("A/B", figures))
    assert (view.avoided_puts, view.avoided_bytes, view.lay_ns) == (3333, 3333, 3_000_000)
    statq = rows.CLASSES[3]
    for kind in statq.types:
        message = DataMessages(statq, kind).message("QM1", view, 1, "A/B")
        values = {one.parameter: one.value for one in message.parameters}
        assert values[mq.MQCA_Q_NAME] == "A/B"
        assert values[mq.MQIACF_OBJECT_TYPE] == mq.MQOT_Q


def test_value_when_it_has_no_room_in_32_bits_then_64() -> None:
    interval = StatisticsInterval(MONITOR, "QM1", 0, 1)
    interval.figures.traffic.plain_puts.add(1 << 40)
    put = next(kind for kind in rows.CLASSES[2].types if kind.name == "PUT")
    message = DataMessages(rows.CLASSES[2], put).message("QM1", MQIView(interval), 1)
    values = {one.parameter: one.value for one in unpack_pcf(message.pack()).parameters}
    assert values[1] == values[8] == 1 << 40


@pytest.mark.parametrize(
    ("name", "topic"),
    [("A/B", "STATQ/A&B/PUT"), (OBJECT_NAME, "STATQ/%s/PUT")],
)
def test_topic_when_a_name_has_a_slash_then_an_ampersand(name: str, topic: str) -> None:
    statq = rows.CLASSES[3]
    kind = next(one for one in statq.types if one.name == "PUT")
    root = "$SYS/MQ/INFO/QMGR/Q&M/Monitor"
    assert data_topic("Q/M", statq, kind, name) == f"{root}/{topic}"
