"""Goal: MaxChannels and MaxActiveChannels are two limits, with waiting and events: rules of
docs/reference/conformance-channels.md.

Method: two real queue managers, the sending one with MaxChannels=2 and MaxActiveChannels=1.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ternmq.base import command_reasons as ccf
from ternmq.base import constants as mq
from ternmq.base import reasons as rc
from tests.battery.places import until
from tests.integration.channel_pair import QMA, QMB, ChannelPair
from tests.integration.channel_senders import EVENTS, events, gone, sender
from tests.integration.closed_port import closed_port


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChannelPair]:
    folder = tmp_path_factory.mktemp("pair")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TERNMQ_DATA", str(folder))
        one = ChannelPair(folder)
        one.make(QMA, "Channels:", "   MaxChannels=2", "   MaxActiveChannels=1")
        one.make(QMB)
        yield one
        one.end_all()


def test_active_when_all_places_are_taken_then_starting_and_events(pair: ChannelPair) -> None:
    pair.mqsc(QMA, "ALTER QMGR CHLEV(ENABLED)")
    for name in ("F6.A", "F6.B"):
        sender(pair, name)
    pair.mqsc(QMA, "START CHANNEL(F6.A)")
    pair.becomes(QMA, "RUNNING", "F6.A")
    until(lambda: pair.depth(QMA, EVENTS) == 1)
    assert events(pair) == [(rc.MQRC_CHANNEL_STARTED, "F6.A", 0, 0)]
    pair.mqsc(QMA, "START CHANNEL(F6.B)")
    assert pair.status(QMA, "F6.B") == "STARTING"
    assert events(pair) == [(rc.MQRC_CHANNEL_NOT_ACTIVATED, "F6.B", mq.MQRQ_MAX_ACTIVE_CHANNELS, 0)]
    until(lambda: "AMQ9573E" in pair.log(QMA))
    pair.mqsc(QMA, "STOP CHANNEL(F6.A) STATUS(INACTIVE)")
    pair.becomes(QMA, "RUNNING", "F6.B")
    assert pair.status(QMA, "F6.A") == "INACTIVE"
    until(lambda: "AMQ9574I" in pair.log(QMA))
    until(lambda: pair.depth(QMA, EVENTS) == 4)
    found = events(pair)
    assert (rc.MQRC_CHANNEL_ACTIVATED, "F6.B", 0, 0) in found
    assert (rc.MQRC_CHANNEL_STARTED, "F6.B", 0, 0) in found
    # One that is stopped while it waits is STOPPED at once, and takes no place later.
    pair.mqsc(QMA, "START CHANNEL(F6.A)", "STOP CHANNEL(F6.A)")
    assert pair.status(QMA, "F6.A") == "STOPPED"
    found = events(pair)
    disabled = mq.MQRQ_CHANNEL_STOPPED_DISABLED
    assert (rc.MQRC_CHANNEL_STOPPED_BY_USER, "F6.A", disabled, 0) in found
    # Both are current: a third cannot become so.
    sender(pair, "F6.C")
    assert pair.asked(QMA, "START CHANNEL(F6.C)") == ("AMQ9513E", ccf.MQRCCF_COMMAND_FAILED)
    assert pair.status(QMA, "F6.C") == "INACTIVE"
    pair.mqsc(QMA, "STOP CHANNEL(F6.B)")
    pair.becomes(QMA, "STOPPED", "F6.B")
    assert pair.status(QMA, "F6.A") == "STOPPED"
    gone(pair, "F6.A", "F6.B")
    pair.mqsc(QMA, "START CHANNEL(F6.C)")
    pair.becomes(QMA, "RUNNING", "F6.C")
    gone(pair, "F6.C")
    pair.mqsc(QMA, "ALTER QMGR CHLEV(DISABLED)", f"CLEAR QLOCAL({EVENTS})")


def test_current_when_one_is_retrying_then_it_counts(pair: ChannelPair) -> None:
    for name in ("F9.A", "F9.B", "F9.C"):
        sender(pair, name, "SHORTRTY(9) SHORTTMR(60)")
    pair.mqsc(QMA, f"ALTER CHANNEL(F9.A) CHLTYPE(SDR) CONNAME('127.0.0.1({closed_port()})')")
    pair.mqsc(QMA, "START CHANNEL(F9.A)")
    pair.becomes(QMA, "RETRYING", "F9.A")
    pair.mqsc(QMA, "START CHANNEL(F9.B)")
    pair.becomes(QMA, "RUNNING", "F9.B")
    assert pair.asked(QMA, "START CHANNEL(F9.C)")[0] == "AMQ9513E"
    gone(pair, "F9.A", "F9.B")
