"""Goal: the text is what Prometheus reads: samples of a metric together, names of both schemes,
labels escaped.

Method: figures in which every number differs; the text read back line by line.
"""

from __future__ import annotations

import re

import pytest

from ternmq.telemetry.metrics import metric_rows
from ternmq.telemetry.metrics.metric_text import (
    BOTH,
    CONTAINER,
    EXPORTER,
    Subject,
    chosen,
    labels_text,
    metrics_text,
)
from tests.unit.telemetry.measured import interval

pytestmark = pytest.mark.core

SAMPLE = re.compile(r'^([a-z0-9_]+)\{([a-z]+="(?:[^"\\]|\\.)*",?)*\} (-?[0-9.e+-]+)$')
# What the boards of mq-metric-samples ask for, as far as it is here; pub/sub and clusters are not.
ON_BOARDS = """
ibmmq_channel_attribute_max_inst ibmmq_channel_attribute_max_instc ibmmq_channel_batches
ibmmq_channel_buffers_rcvd ibmmq_channel_buffers_sent ibmmq_channel_bytes_rcvd
ibmmq_channel_bytes_sent ibmmq_channel_cur_inst ibmmq_channel_messages ibmmq_channel_status
ibmmq_channel_status_squash ibmmq_channel_time_since_msg
ibmmq_qmgr_interval_destructive_get_total_count ibmmq_qmgr_interval_mqput_mqput1_total_count
ibmmq_qmgr_log_write_latency_seconds ibmmq_qmgr_non_persistent_message_browse_count
ibmmq_qmgr_persistent_message_browse_count ibmmq_qmgr_put_non_persistent_messages_bytes
ibmmq_qmgr_put_persistent_messages_bytes ibmmq_qmgr_active_listeners
ibmmq_qmgr_channel_initiator_status ibmmq_qmgr_command_server_status ibmmq_qmgr_connection_count
ibmmq_qmgr_max_active_channels ibmmq_qmgr_max_channels ibmmq_qmgr_status ibmmq_qmgr_uptime
ibmmq_queue_attribute_max_depth ibmmq_queue_depth ibmmq_queue_input_handles
ibmmq_queue_oldest_message_age ibmmq_queue_output_handles ibmmq_queue_qfile_current_size
ibmmq_queue_qfile_max_size ibmmq_queue_qtime_long ibmmq_queue_qtime_short
ibmmq_queue_time_since_get ibmmq_queue_time_since_put ibmmq_queue_uncommitted_messages
ibmmq_queue_hi_depth ibmmq_queue_mqget_count ibmmq_queue_mqput_mqput1_count
"""


class Root:
    """As many attributes as the rows ask for, from an interval."""

    def __init__(self) -> None:
        made = interval(1)
        self.figures = made.figures
        self.traffic = made.figures.traffic
        self.marks = made.figures.topics
        self.topics = made.figures.topics.counts
        self.log = made.log
        self.storage = made.storage
        self.connections = 7
        names = """status uptime_s listeners services command_server initiator channels_max
        active_max        log_physical_bytes log_latency_ns log_write_bytes log_used_percent
        topic_nodes durable_subscriptions other_subscriptions"""
        for number, name in enumerate(names.split()):
            setattr(self, name, 50 + number)


def subjects() -> dict[str, list[Subject]]:
    labels = {"qmgr": "QM1", "platform": "UNIX"}
    return {metric_rows.QMGR: [Subject(Root(), labels, {"qmgr": "QM1"})]}


def families(text: str) -> dict[str, list[str]]:
    """Names in their order with their samples; a name that comes twice is an error."""
    found: dict[str, list[str]] = {}
    current = ""
    for line in text.splitlines():
        if line.startswith("# HELP "):
            current = line.split()[2]
            assert current not in found, current
            found[current] = []
        elif line.startswith("# TYPE "):
            assert line.split()[2] == current
            assert line.split()[3] in ("gauge", "counter")
        else:
            match = SAMPLE.match(line)
            assert match is not None, line
            assert match[1] == current
            found[current].append(line)
    return found


def test_text_when_made_then_every_metric_has_help_type_and_its_samples_together() -> None:
    found = families("".join(metrics_text(subjects())))
    assert len(found) == len({row.name for row in chosen(metric_rows.QMGR, BOTH)})
    root = Root()
    total = root.traffic.puts + root.traffic.put1s
    (line,) = found["ibmmq_qmgr_interval_mqput_mqput1_total_count"]
    assert line.endswith(f'{{platform="UNIX",qmgr="QM1"}} {total}')
    (line,) = found["ibmmq_qmgr_mqput_mqput1_total"]
    assert line == f'ibmmq_qmgr_mqput_mqput1_total{{qmgr="QM1"}} {total}'
    (line,) = found["ternmq_qmgr_log_write_seconds_total"]
    assert float(line.split()[-1]) == pytest.approx(int(root.log.io_ns) / 1e9)


def test_schemes_when_chosen_then_only_their_names() -> None:
    container = {row.name for row in chosen(metric_rows.QMGR, CONTAINER)}
    exporter = {row.name for row in chosen(metric_rows.QMGR, EXPORTER)}
    assert "ibmmq_qmgr_commit_total" in container - exporter
    assert "ibmmq_qmgr_commit_count" in exporter - container
    assert "ibmmq_qmgr_log_write_latency_seconds" in container & exporter
    assert chosen(metric_rows.QUEUE, CONTAINER)[0].name.startswith("ternmq_")


def test_names_when_compared_with_the_boards_then_all_are_there() -> None:
    names = {row.name for row in metric_rows.ROWS}
    assert [one for one in ON_BOARDS.split() if one not in names] == []


def test_labels_when_they_hold_anything_then_they_are_escaped() -> None:
    assert labels_text({"b": 'say "hi"\\\n', "a": "1"}) == '{a="1",b="say \\"hi\\"\\\\\\n"}'


def test_pieces_when_subjects_are_many_then_no_piece_is_long() -> None:
    many = {metric_rows.QMGR: subjects()[metric_rows.QMGR] * 2500}
    pieces = list(metrics_text(many))
    assert max(piece.count("\n") for piece in pieces) == 1000
    found = families("".join(pieces))
    assert {len(one) for one in found.values()} == {2500}
