"""Goal: one end of a channel is restored, and the other is not: the channel stops instead of losing
or doubling messages, says so, and goes on after RESET CHANNEL with everything that waits.

Method: real processes. A backup is a copy of the folder of a queue manager that has ended; media
recovery is rcrmqobj with a linear log.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from ternmq.remote.local.folder_lookup import find
from tests.battery.places import until
from tests.integration.channel_pair import QMA, QMB, ChannelPair
from tests.integration.test_lifecycle import Reported

NO_RETRY = "SHORTRTY(0) LONGRTY(0)"


class LinearPair(ChannelPair):
    """The same with linear logs."""

    def run(self, *words: str, status: int = 0) -> Reported:
        more = ("-ll",) if words[0] == "crtmqm" else ()
        return super().run(words[0], *more, *words[1:], status=status)


@pytest.fixture
def pair(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ChannelPair]:
    monkeypatch.setenv("TERNMQ_DATA", str(tmp_path))
    one = ChannelPair(tmp_path)
    yield one
    one.end_all()


@pytest.fixture
def linear_pair(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LinearPair]:
    monkeypatch.setenv("TERNMQ_DATA", str(tmp_path))
    one = LinearPair(tmp_path)
    yield one
    one.end_all()


def running(pair: ChannelPair) -> None:
    """Two queue managers with a channel that runs and has sent three messages."""
    pair.make(QMA)
    pair.make(QMB)
    pair.connect_ends(given=NO_RETRY)
    pair.mqsc(QMA, "START CHANNEL(A.TO.B)")
    pair.send("1", "2", "3")
    pair.has(QMB, "TARGET", 3)
    rest(pair)


def rest(pair: ChannelPair) -> None:
    """Stop the channel, so that no batch is under way."""
    until(lambda: pair.shown(QMA)["CURMSGS"] == 0 and pair.shown(QMA)["INDOUBT"] == "NO")
    pair.mqsc(QMA, "STOP CHANNEL(A.TO.B)")
    pair.becomes(QMA, "STOPPED")


def folder_of(pair: ChannelPair, name: str) -> Path:
    return Path(find(str(pair.data), name).folder)


def back_up(pair: ChannelPair, name: str) -> Path:
    """A copy of a queue manager as it is now."""
    pair.stop(name)
    copy = pair.data / f"backup-{name}"
    shutil.copytree(folder_of(pair, name), copy, symlinks=True)
    pair.start(name)
    return copy


def restore(pair: ChannelPair, name: str, copy: Path) -> None:
    """The queue manager as it was then."""
    pair.stop(name)
    folder = folder_of(pair, name)
    shutil.rmtree(folder)
    shutil.copytree(copy, folder, symlinks=True)
    pair.start(name)


def arrived(pair: ChannelPair, count: int) -> list[str]:
    """So many messages, as they come."""
    with pair.operators[QMB].queue("TARGET") as target:
        return [target.get(wait=20).text for _ in range(count)]


def refused(pair: ChannelPair, name: str) -> None:
    """START CHANNEL, and the sequence error that ends it."""
    pair.mqsc(QMA, "START CHANNEL(A.TO.B)")
    until(lambda: "AMQ9526E" in pair.log(name))
    until(lambda: pair.status(QMA) not in ("STARTING", "BINDING", "RUNNING", "STOPPING"))


@pytest.mark.slow
@pytest.mark.timeout(60)
def test_receiver_when_restored_from_a_backup_then_sequence_error_reset_and_all_arrive(
    pair: ChannelPair,
) -> None:
    running(pair)
    copy = back_up(pair, QMB)
    pair.mqsc(QMA, "START CHANNEL(A.TO.B)")
    pair.send("4", "5")
    pair.has(QMB, "TARGET", 5)
    rest(pair)
    restore(pair, QMB, copy)
    pair.send("6", "7")

    refused(pair, QMA)

    assert pair.depth(QMB, "TARGET") == 3
    assert pair.depth(QMA, "QMB") == 2
    pair.mqsc(QMA, "RESET CHANNEL(A.TO.B)", "START CHANNEL(A.TO.B)")
    assert arrived(pair, 5) == ["1", "2", "3", "6", "7"]
    until(lambda: pair.shown(QMA)["LSTSEQNO"] == 2)
    assert pair.shown(QMB)["LSTSEQNO"] == 2

    # Once more, and RESET at the receiver: that does not travel, so it names what comes next.
    rest(pair)
    restore(pair, QMB, copy)
    pair.send("8")
    pair.mqsc(QMB, "RESET CHANNEL(A.TO.B) SEQNUM(3)")
    pair.mqsc(QMA, "START CHANNEL(A.TO.B)")
    assert arrived(pair, 4) == ["1", "2", "3", "8"]
    until(lambda: pair.shown(QMA)["LSTSEQNO"] == 3)


@pytest.mark.slow
@pytest.mark.timeout(60)
def test_sender_when_restored_with_messages_that_were_sent_then_nothing_is_doubled_before_reset(
    pair: ChannelPair,
) -> None:
    running(pair)
    pair.send("4", "5")
    copy = back_up(pair, QMA)
    pair.mqsc(QMA, "START CHANNEL(A.TO.B)")
    pair.has(QMB, "TARGET", 5)
    rest(pair)
    restore(pair, QMA, copy)
    assert pair.depth(QMA, "QMB") == 2

    refused(pair, QMA)

    assert pair.depth(QMB, "TARGET") == 5
    # Whoever resets has looked first: these two were delivered, and one is new.
    pair.mqsc(QMA, "CLEAR QLOCAL(QMB)")
    pair.send("6")
    pair.mqsc(QMA, "RESET CHANNEL(A.TO.B)", "START CHANNEL(A.TO.B)")
    assert arrived(pair, 6) == ["1", "2", "3", "4", "5", "6"]


@pytest.mark.slow
@pytest.mark.timeout(60)
def test_queues_of_the_sender_when_recreated_from_the_log_then_no_error_and_no_loss(
    linear_pair: LinearPair,
) -> None:
    pair = linear_pair
    running(pair)
    pair.send("4")
    for queue in ("SYSTEM.CHANNEL.SYNCQ", "QMB"):
        pair.run("rcdmqimg", "-m", QMA, "-t", "ql", queue)
    pair.send("5")
    for queue in ("SYSTEM.CHANNEL.SYNCQ", "QMB"):
        pair.run("rcrmqobj", "-m", QMA, "-t", "ql", queue)
    pair.mqsc(QMA, "START CHANNEL(A.TO.B)")
    assert arrived(pair, 5) == ["1", "2", "3", "4", "5"]
    assert "AMQ9526E" not in pair.log(QMB)
