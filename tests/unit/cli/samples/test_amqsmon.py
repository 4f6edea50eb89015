"""Goal: statistics and accounting messages are shown as MQ's sample shows them; filters leave the
others on the queue.

Method: a queue manager in memory, whose own destination puts real messages.
"""

import json

import pytest

import ternmq
from ternmq.cli.samples import amqsmon
from ternmq.outlets.pcf_destination import STATISTICS_QUEUE, MessageDestination
from ternmq.telemetry.snapshot import PCF
from tests.unit.telemetry.measured import interval, task_record

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def measured(attached: ternmq.QueueManager) -> ternmq.QueueManager:
    """A queue manager with one message of each kind."""
    destination = MessageDestination(attached.started.shell)
    destination.statistics(interval(2, PCF))
    destination.task(task_record(2, PCF))
    return attached


def depth(qmgr: ternmq.QueueManager, name: str = STATISTICS_QUEUE) -> int:
    with qmgr.queue(name) as queue:
        return queue.depth


def kinds(capsys: Capture) -> list[str]:
    lines = capsys.readouterr().out.splitlines()
    return [line.split()[1] for line in lines if line.startswith("MonitoringType")]


def test_all_statistics_when_shown_then_taken(
    measured: ternmq.QueueManager, capsys: Capture
) -> None:
    assert amqsmon.main(["-m", "QM1", "-t", "statistics"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("MonitoringType: MQIStatistics\nQueueManager: 'QM1'\n")
    assert out.endswith("\n\n3 Records Processed.\n")
    assert "QueueStatistics: 1\n  QueueName: 'QUEUE.1'\n" in out
    assert depth(measured) == 0
    assert amqsmon.main(["-t", "statistics"]) == 1


def test_browse_when_asked_then_all_stay(measured: ternmq.QueueManager, capsys: Capture) -> None:
    for _ in range(2):
        assert amqsmon.main(["-t", "statistics", "-b"]) == 0
        assert kinds(capsys) == ["MQIStatistics", "QueueStatistics", "ChannelStatistics"]
    assert depth(measured) == 3


@pytest.mark.parametrize(
    ("options", "kind"),
    [("-a", "MQIStatistics"), ("-q", "QueueStatistics"), ("-c", "ChannelStatistics")],
)
def test_filter_when_given_then_the_others_stay(
    measured: ternmq.QueueManager, capsys: Capture, options: str, kind: str
) -> None:
    assert amqsmon.main(["-t", "statistics", options]) == 0
    assert kinds(capsys) == [kind]
    assert depth(measured) == 2


def test_one_queue_when_named_then_only_its_group(
    measured: ternmq.QueueManager, capsys: Capture
) -> None:
    assert amqsmon.main(["-t", "statistics", "-q", "QUEUE.1", "-b"]) == 0
    out = capsys.readouterr().out
    assert "'QUEUE.1'" in out
    assert "'QUEUE.0'" not in out
    assert amqsmon.main(["-t", "statistics", "-q", "OTHER"]) == 1
    assert depth(measured) == 3


def test_accounting_when_one_connection_is_asked_for_then_only_that(
    measured: ternmq.QueueManager, capsys: Capture
) -> None:
    tag = bytes(range(24)).hex()
    assert amqsmon.main(["-t", "accounting", "-i", "00" * 24, "-b"]) == 1
    assert kinds(capsys) == []
    assert amqsmon.main(["-t", "accounting", "-i", tag, "-l", "SeqNumber,1024"]) == 0
    out = capsys.readouterr().out
    assert "SeqNumber: 3\nApplicationPid: 4711\n" in out
    assert "UserId" not in out


def test_depth_and_time_when_given_then_so_many_of_that_time(
    measured: ternmq.QueueManager, capsys: Capture
) -> None:
    assert amqsmon.main(["-t", "statistics", "-b", "-d", "2"]) == 0
    assert len(kinds(capsys)) == 2
    assert amqsmon.main(["-t", "statistics", "-b", "-s", "2023-11-14 22.13.21"]) == 1
    assert amqsmon.main(["-t", "statistics", "-b", "-e", "2023-11-14 22.13.25"]) == 0
    capsys.readouterr()
    with pytest.raises(SystemExit) as ended:
        amqsmon.main(["-t", "statistics", "-s", "yesterday"])
    assert ended.value.code == 255
    with pytest.raises(SystemExit):
        amqsmon.main(["-t", "statistics", "-l", "Colour"])


def test_json_when_asked_then_values(measured: ternmq.QueueManager, capsys: Capture) -> None:
    assert amqsmon.main(["-t", "statistics", "-q", "--json"]) == 0
    values = json.loads(capsys.readouterr().out)
    assert values["MonitoringType"] == "QueueStatistics"
    assert [one["QueueName"] for one in values["QueueStatistics"]] == ["QUEUE.0", "QUEUE.1"]


def test_other_messages_when_there_then_they_stay(
    attached: ternmq.QueueManager, capsys: Capture
) -> None:
    attached.put(STATISTICS_QUEUE, "no record")
    assert amqsmon.main(["-t", "statistics"]) == 1
    assert "is not a record" in capsys.readouterr().err
    assert depth(attached) == 1


def test_no_queue_manager_when_named_then_255(
    attached: ternmq.QueueManager, capsys: Capture
) -> None:
    assert amqsmon.main(["-t", "statistics", "-m", "OTHER"]) == 255
    assert "2058" in capsys.readouterr().out
    assert amqsmon.main(["-t", "statistics", "-n", "NONE"]) == 255
