"""Goal: amqspub, amqssub and amqsrua print what people know and end with the status that scripts
know; amqsevt reads topics. Row J9 is here.

Method: a queue manager in memory; what a sample writes is compared. Intervals of ten seconds end
because the queue manager's clock is set forward by a thread that the sample waits for.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import pytest

import ternmq
from ternmq.cli.samples import amqsevt, amqspub, amqsrua, amqssub, resource_discovery
from ternmq.telemetry.monitor import monitor_rows as rows

Typed = Callable[[str], None]
Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def no_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(amqssub, "WAIT_S", 0.0)
    monkeypatch.setattr(resource_discovery, "METADATA_WAIT_S", 1.0)
    monkeypatch.setenv("LANG", "C")


@pytest.fixture
def hurried(attached: ternmq.QueueManager) -> Iterator[ternmq.QueueManager]:
    """Intervals of resources end every few milliseconds."""
    shell = attached.started.shell
    ended = threading.Event()

    def hurry() -> None:
        while not ended.wait(0.01):
            with shell.lock:
                collector = shell.engine.collector
                collector._statistics["MONITOR"].due_ns = 0
                collector.tick()
            shell.deliver(wait=True)

    worker = threading.Thread(target=hurry)
    worker.start()
    yield attached
    ended.set()
    worker.join()


def test_publish_and_subscribe_when_retained_then_shown(
    attached: ternmq.QueueManager, typed: Typed, capsys: Capture
) -> None:
    with attached.subscribe("sport/#") as subscription:
        typed("first\nsecond\n\nnot this one\n")
        assert amqspub.main(["sport/football", "QM1"]) == 0
        assert [one.text for one in subscription.consume(wait=None)] == ["first", "second"]
    assert capsys.readouterr().out.splitlines() == [
        "Sample AMQSPUBA start",
        "target topic is sport/football",
        "Sample AMQSPUBA end",
    ]
    attached.publish("sport/tennis", "kept", retain=True)
    assert amqssub.main(["sport/tennis", "QM1"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "Sample AMQSSUBA start",
        "Calling MQGET : 0 seconds wait time",
        "message <kept>",
        "Calling MQGET : 0 seconds wait time",
        "no more messages",
        "Sample AMQSSUBA end",
    ]


@pytest.mark.parametrize("sample", [amqspub, amqssub])
def test_sample_without_a_topic_then_99(sample: object, capsys: Capture) -> None:
    main: Callable[[list[str]], int] = sample.main  # type: ignore[attr-defined]
    assert main([]) == 99
    assert "Required parameter missing - topic string" in capsys.readouterr().out


def test_subscribe_options_when_wrong_then_reported(
    attached: ternmq.QueueManager, capsys: Capture
) -> None:
    assert amqssub.main(["sport", "QM1", "0"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1] == "MQSUB SD.Options are 0"


def test_j9_resources_of_a_queue_when_two_wanted_then_0(
    hurried: ternmq.QueueManager, capsys: Capture
) -> None:
    hurried.define_queue("Q1")
    hurried.put("Q1", "abc")
    assert amqsrua.main(["-m", "QM1", "-c", "STATQ", "-o", "Q1", "-t", "PUT", "-n", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    heads = [one for one in lines if one.startswith("Publication received PutDate:")]
    assert len(heads) == 2
    assert "Interval:" in heads[0]
    puts = next(kind for kind in rows.CLASSES[3].types if kind.name == "PUT")
    for element in puts.elements:
        assert sum(f"{'Q1':<48}{element.description} " in one for one in lines) == 2


def test_j9_class_when_unknown_then_20(attached: ternmq.QueueManager, capsys: Capture) -> None:
    assert amqsrua.main(["-m", "QM1", "-c", "NONE", "-t", "PUT", "-n", "1"]) == 20
    assert "Class NONE not recognised" in capsys.readouterr().out
    assert amqsrua.main(["-m", "QM1", "-c", "CPU", "-t", "NONE", "-n", "1"]) == 20
    assert "Class: CPU Type: NONE not recognised" in capsys.readouterr().out
    assert amqsrua.main(["-x"]) == 20


def test_resources_when_no_class_is_given_then_it_asks(
    hurried: ternmq.QueueManager, typed: Typed, capsys: Capture
) -> None:
    typed("DISK\nLog\n")
    assert amqsrua.main(["-m", "QM1", "-n", "1"]) == 0
    out = capsys.readouterr().out
    assert "DISK : Platform persistent data stores" in out
    assert "Log : Disk usage - queue manager recovery log" in out
    assert "Log - disk written log sequence number <0:" in out
    typed("NONE\n")
    assert amqsrua.main(["-m", "QM1", "-n", "1"]) == 20
    assert "Invalid Class (NONE) supplied" in capsys.readouterr().out


def test_language_when_not_published_then_the_default_is_used(
    hurried: ternmq.QueueManager, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setattr(resource_discovery, "METADATA_WAIT_S", 0.05)
    monkeypatch.setenv("LANG", "en_GB.UTF-8")
    arguments = ["-m", "QM1", "-c", "CPU", "-t", "QMgrSummary", "-n", "1", "-d", "1"]
    assert amqsrua.main(arguments) == 0
    lines = capsys.readouterr().out.splitlines()
    root = "Subscribing to topic: $SYS/MQ/INFO/QMGR/QM1/Monitor/METADATA/CLASSES"
    assert lines[:2] == [f"{root}/en_GB", root]
    assert any(one.startswith("User CPU time - percentage estimate") for one in lines)


@pytest.mark.parametrize(
    ("datatype", "value", "text"),
    [
        (rows.PERCENT, 1234, "x 12.34%"),
        (rows.HUNDREDTHS, 150, "x 1.50"),
        (rows.MEGABYTES, 7, "x 7MB"),
        (rows.MICROSECONDS, 7, "x 7 uSec"),
        (rows.DELTA, 30, "x 30 3/sec"),
        (rows.DELTA, 0, "x 0 "),
        (rows.LSN, (1 << 48) + 5, "x <1:0:0:5> 0x0001000000000005"),
        (rows.UNIT, 9, "x 9"),
    ],
)
def test_element_when_shown_then_by_its_datatype(datatype: int, value: int, text: str) -> None:
    assert resource_discovery.element_text(datatype, "x", value, 10_000_000) == text


def test_interval_when_long_then_in_days_and_hours() -> None:
    assert resource_discovery.interval_text(10_003_000) == "10.003 seconds"
    assert resource_discovery.interval_text(90_061_000_000) == (
        "1 days,1 hours,1 minutes,1.000 seconds"
    )


def test_events_when_of_a_topic_then_shown(attached: ternmq.QueueManager, capsys: Capture) -> None:
    topic = "$SYS/MQ/INFO/QMGR/QM1/Monitor/METADATA/CLASSES"
    assert amqsevt.main(["-m", "QM1", "-t", topic, "-w", "0", "-o", "json"]) == 0
    assert "Platform central processing units" in capsys.readouterr().out
