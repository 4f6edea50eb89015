"""Goal: PCF statistics and accounting messages hold the counters under MQ's numbers, and print as
amqsmon prints them.

Method: snapshots in which every number differs; messages packed, unpacked and compared.
"""

from __future__ import annotations

import pytest

from ternmq.admin.events.event_text import event_json
from ternmq.base import constants_all
from ternmq.base.counters import QueueFigures
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.pcf import parameter as pcf
from ternmq.codec.pcf.structures import PCFMessage, unpack_pcf
from ternmq.telemetry.pcf import pcf_rows
from ternmq.telemetry.pcf.measurement_messages import accounting_messages, statistics_messages
from ternmq.telemetry.pcf.measurement_text import mentions, record_lines
from ternmq.telemetry.snapshot import PCF, QueueSample
from tests.unit.telemetry.measured import interval, task_record

pytestmark = pytest.mark.core

# Parameters under names of MQ's headers; the rows have amqsmon's.
CONSTANTS = {
    "ConnCount": "MQIAMO_CONNS",
    "ConnHighwater": "MQIAMO_CONNS_MAX",
    "DiscCount": "MQIAMO_DISCS",
    "OpenCount": "MQIAMO_OPENS",
    "OpenFailCount": "MQIAMO_OPENS_FAILED",
    "CloseCount": "MQIAMO_CLOSES",
    "PutBytes": "MQIAMO64_PUT_BYTES",
    "GetBytes": "MQIAMO64_GET_BYTES",
    "BrowseMinBytes": "MQIAMO_BROWSE_MIN_BYTES",
    "TimeOnQMin": "MQIAMO64_Q_TIME_MIN",
    "TimeOnQAvg": "MQIAMO64_Q_TIME_AVG",
    "AverageQueueTime": "MQIAMO64_AVG_Q_TIME",
    "NonQueuedMsgCount": "MQIAMO_MSGS_NOT_QUEUED",
    "CtlCount": "MQIAMO_CTLS",
    "CbFailCount": "MQIAMO_CBS_FAILED",
    "NetMinTime": "MQIAMO_NET_TIME_MIN",
    "NetMinAverage": "MQIAMO_NET_TIME_AVG",
    "NetMaxTime": "MQIAMO_NET_TIME_MAX",
    "ExitMinTime": "MQIAMO_EXIT_TIME_MIN",
    "IncmplBatchCount": "MQIAMO_INCOMPLETE_BATCHES",
    "AverageBatchSize": "MQIAMO_AVG_BATCH_SIZE",
    "PutRetryCount": "MQIAMO_PUT_RETRIES",
    "PurgeCount": "MQIAMO_MSGS_PURGED",
    "GeneratedMsgCount": "MQIAMO_GENERATED_MSGS",
    "ConnectionId": "MQBACF_CONNECTION_ID",
    "SeqNumber": "MQIACF_SEQUENCE_NUMBER",
    "RemoteProduct": "MQCACH_REMOTE_PRODUCT",
    "RemoteVersion": "MQCACH_REMOTE_VERSION",
    "DiscType": "MQIAMO_DISC_TYPE",
    "OpenDate": "MQCAMO_OPEN_DATE",
    "CloseTime": "MQCAMO_CLOSE_TIME",
    "ObjectCount": "MQIAMO_OBJECT_COUNT",
    "DurableSubscribeCount": "MQIAMO_SUBS_DUR",
    "NonDurableUnsubscribeCount": "MQIAMO_UNSUBS_NDUR",
    "PublishMsgBytes": "MQIAMO64_PUBLISH_MSG_BYTES",
    "Put1TopicFailCount": "MQIAMO_TOPIC_PUT1S_FAILED",
    "IntervalStartDate": "MQCAMO_START_DATE",
    "CommandLevel": "MQIA_COMMAND_LEVEL",
}


def there_and_back(messages: list[PCFMessage]) -> list[PCFMessage]:
    return [unpack_pcf(one.pack()) for one in messages]


def values(message: PCFMessage) -> dict[str, object]:
    names = {row.parameter: row.name for part in pcf_rows.ROWS.values() for row in part}
    return {names[one.parameter]: one.value for one in message.parameters if one.kind != pcf.CFGR}


def test_rows_when_compared_with_the_headers_then_numbers_are_those_of_mq() -> None:
    numbers = {row.name: row.parameter for part in pcf_rows.ROWS.values() for row in part}
    for name, constant in CONSTANTS.items():
        assert numbers[name] == getattr(constants_all, constant), name
    assert constants_all.MQGACF_Q_ACCOUNTING_DATA == pcf_rows.QUEUE_ACCOUNTING_GROUP
    assert constants_all.MQCMD_ACCOUNTING_Q == pcf_rows.QUEUE_ACCOUNTING


def test_mqi_statistics_when_packed_then_counters_arrive() -> None:
    made = interval(0, PCF)
    made.channels = []
    (message,) = there_and_back(statistics_messages(made))
    assert (message.kind, message.command, message.version) == (21, 164, 3)
    found = values(message)
    figures = made.figures
    traffic = figures.traffic
    assert found["QueueManager"] == "QM1"
    assert found["IntervalStartDate"] == "2023-11-14"
    assert found["IntervalStartTime"] == "22.13.20"
    assert found["IntervalEndTime"] == "22.13.25"
    assert found["ConnCount"] == figures.connects
    assert found["OpenCount"] == figures.opens
    assert found["DiscCount"] == figures.disconnects
    assert found["PutCount"] == [traffic.plain_puts.count, traffic.persistent_puts.count]
    assert found["PutBytes"] == [
        traffic.plain_puts.total + traffic.plain_put1s.total,
        traffic.persistent_puts.total + traffic.persistent_put1s.total,
    ]
    assert found["BackCount"] == figures.backouts
    assert found["CtlCount"] == figures.controls
    assert len(message.parameters) == 6 + 53


def test_queue_statistics_when_queues_are_many_then_messages_have_a_hundred_each() -> None:
    made = interval(250, PCF)
    made.mqi_reported = False
    made.channels = []
    made.queues[3].reported = False
    messages = there_and_back(statistics_messages(made))
    assert [(one.command, one.sequence, one.control) for one in messages] == [
        (165, 1, 0),
        (165, 2, 0),
        (165, 3, 1),
    ]
    counts = [values(one)["ObjectCount"] for one in messages]
    assert counts == [100, 100, 49]
    groups = [one for message in messages for one in message.parameters if one.kind == pcf.CFGR]
    names = [group.members[0].text for group in groups]
    assert names == [f"QUEUE.{number}" for number in range(250) if number != 3]


def test_queue_statistics_when_a_queue_was_not_accessed_then_it_is_not_reported() -> None:
    made = interval(1, PCF)
    made.mqi_reported = False
    made.channels = []
    idle = QueueSample("IDLE", QueueFigures(5, 0, 0))
    is_open = QueueSample("OPEN", QueueFigures(5, 1, 0))
    is_open.is_open = True
    expiring = QueueSample("EXPIRING", QueueFigures(5, 0, 0))
    expiring.figures.expired = 1
    made.queues += [idle, is_open, expiring]
    (message,) = there_and_back(statistics_messages(made))
    groups = [one for one in message.parameters if one.kind == pcf.CFGR]
    assert [one.members[0].text for one in groups] == ["QUEUE.0", "OPEN", "EXPIRING"]


def test_queue_statistics_when_printed_then_lines_are_those_of_amqsmon() -> None:
    made = interval(1, PCF)
    made.mqi_reported = False
    made.channels = []
    queue = made.queues[0]
    traffic = queue.figures.traffic
    queue.figures.depth_low, queue.figures.depth_high = 0, 18
    for plain, count, total in (
        (traffic.plain_puts, 26, 88),
        (traffic.persistent_puts, 0, 0),
        (traffic.plain_put1s, 0, 0),
        (traffic.persistent_put1s, 0, 0),
        (traffic.plain_gets, 18, 52),
        (traffic.persistent_gets, 0, 0),
    ):
        plain.count, plain.total = count, total
    traffic.plain_lay.count, traffic.plain_lay.total = 2, 59_654_562_000
    traffic.persistent_lay.count = 0
    (message,) = there_and_back(statistics_messages(made))
    lines = record_lines(message)
    assert lines[:12] == [
        "MonitoringType: QueueStatistics",
        "QueueManager: 'QM1'",
        "IntervalStartDate: '2023-11-14'",
        "IntervalStartTime: '22.13.20'",
        "IntervalEndDate: '2023-11-14'",
        "IntervalEndTime: '22.13.25'",
        "CommandLevel: 940",
        "ObjectCount: 1",
        "QueueStatistics: 0",
        "  QueueName: 'QUEUE.0'",
        "  CreateDate: '2023-11-14'",
        "  CreateTime: '22.13.19'",
    ]
    assert lines[12:21] == [
        "  QueueType: Local",
        "  QueueDefinitionType: Predefined",
        "  QMinDepth: 0",
        "  QMaxDepth: 18",
        "  AverageQueueTime: [29827281, 0]",
        "  PutCount: [26, 0]",
        f"  PutFailCount: {traffic.failed_puts}",
        "  Put1Count: [0, 0]",
        f"  Put1FailCount: {traffic.failed_put1s}",
    ]
    assert record_lines(message, frozenset({739})) == [
        "MonitoringType: QueueStatistics",
        "QueueStatistics: 0",
        "  QMaxDepth: 18",
    ]
    assert mentions(message, "QUEUE.0")
    assert not mentions(message, "QUEUE.1")
    assert "QueueStatistics: 0" not in record_lines(message, object_name="OTHER")


def test_channel_statistics_when_packed_then_times_and_counts_arrive() -> None:
    made = interval(0, PCF)
    made.mqi_reported = False
    channel = made.channels[0]
    channel.messages, channel.persistent_messages, channel.batches = 70, 30, 7
    channel.net_times, channel.net_ns = 2, 10_000_000
    (message,) = there_and_back(statistics_messages(made))
    assert message.command == 166
    group = message.parameters[-1]
    found = {one.parameter: one.value for one in group.members}
    assert found[728] == [40, 30]
    assert found[729] == 5000
    assert found[702] == 10
    assert found[3501] == "TO.HERE"
    assert found[1511] == 7


def test_accounting_when_a_task_ends_then_both_messages_are_made() -> None:
    record = task_record(3, PCF)
    messages = there_and_back(accounting_messages(record))
    assert [(one.kind, one.command) for one in messages] == [(22, 167), (22, 168)]
    found = values(messages[0])
    total = record.account.traffic_total()
    assert found["ConnectionId"] == bytes(range(24))
    assert found["SeqNumber"] == 3
    assert found["ApplicationName"] == "payments-service"
    assert found["ApplicationPid"] == 4711
    assert found["PutCount"] == [total.plain_puts.count, total.persistent_puts.count]
    assert found["OpenCount"] == record.account.opens
    assert found["DiscDate"] == "2023-11-14"
    assert "ConnName" not in found
    queues = values(messages[1])
    assert queues["ObjectCount"] == 3
    first = next(iter(record.account.queues.values()))
    group = {one.parameter: one.value for one in messages[1].parameters[-3].members}
    assert group[2016] == "QUEUE.0"
    assert group[733] == first.handles_opened
    assert group[721] == first.generated


def test_accounting_when_the_task_goes_on_then_no_end_is_notified() -> None:
    record = task_record(1, PCF, is_last=False)
    record.queues_reported = False
    record.identity.channel_name = "APP.SVRCONN"
    record.identity.connection_name = "192.0.2.1"
    (message,) = there_and_back(accounting_messages(record))
    found = values(message)
    assert "DiscDate" not in found
    assert (found["ChannelName"], found["ConnName"]) == ("APP.SVRCONN", "192.0.2.1")


def test_accounting_when_nothing_was_put_then_smallest_sizes_are_zero() -> None:
    record = task_record(0, PCF)
    record.mqi_reported = False
    record.account.queue("Q", "Q").open.calls = 1
    (message,) = there_and_back(accounting_messages(record))
    group = {one.parameter: one.value for one in message.parameters[-1].members}
    assert (group[737], group[724], group[743]) == ([0, 0], [0, 0], [0, 0])


def test_numbers_when_too_large_for_32_bits_then_the_largest() -> None:
    made = interval(0, PCF)
    made.channels = []
    made.figures.commits = 1 << 40
    made.figures.traffic.plain_gets.total = 1 << 40
    (message,) = there_and_back(statistics_messages(made))
    found = values(message)
    assert found["CommitCount"] == (1 << 31) - 1
    got = found["GetBytes"]
    assert isinstance(got, list)
    assert got[0] == 1 << 40


def test_messages_when_shown_as_events_then_every_parameter_has_its_name() -> None:
    made = interval(2, PCF)
    messages = statistics_messages(made) + accounting_messages(task_record(2, PCF))
    assert {one.command for one in messages} == {164, 165, 166, 167, 168}
    md = Descriptor(format="MQADMIN", ccsid=1208)
    for message in messages:
        reported = event_json("Q", "QM1", md, message.pack())
        data = reported["eventData"]
        assert isinstance(data, dict)
        groups = [one for value in data.values() for one in _groups(value)]
        names = [name for group in (data, *groups) for name in group]
        assert len(names) > 10
        assert [name for name in names if name.isdigit()] == []
        if message.command == 165:
            assert groups[0]["queueMaxDepth"] == made.queues[0].figures.depth_high
            assert "putBytes" in groups[0]
        if message.command == 167:
            assert data["discType"] == "Normal"
            assert "connDate" in data


def _groups(value: object) -> list[dict[str, object]]:
    several = value if isinstance(value, list) else [value]
    return [one for one in several if isinstance(one, dict)]
