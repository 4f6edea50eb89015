"""Rows B3, B4, D4 and I2 by IBM's Java client: what it says that our API does not."""

from __future__ import annotations

import pytest

from ternmq import constants as mq
from ternmq.base.errors import mq_error
from ternmq.network.clients import spi_calls
from ternmq.network.clients.conversation import Conversation
from ternmq.network.clients.mqi_calls import CALLS
from ternmq.wire.fap.segment import Segment
from ternmq.wire.fap.vocabulary import SPI, SPI_SUBSCRIBE
from tests.bindings.java_verbs import JavaVerbs
from tests.bindings.transport import BindingTransport
from tests.conformance.pubsub.bed import Bed, M, reason_of


def verbs_of(bed: Bed) -> JavaVerbs:
    transport = bed.connection.transport
    assert isinstance(transport, BindingTransport)
    assert isinstance(transport.verbs, JavaVerbs)
    return transport.verbs


def test_b3_a_string_that_is_too_long(java: Bed) -> None:
    """An MQCHARV of that client is a string: one that is not there, or of another CCSID, it cannot
    say."""
    assert reason_of(java.open_topic, "x" * 10_241) == 2441
    assert reason_of(java.open_topic, "x" * 10_240) == 0


@pytest.mark.parametrize(
    ("room", "returned"), [(0, ""), (100, "Football/Scores"), (5, "cores")], ids=str
)
def test_b4_as_much_of_the_whole_string_as_there_is_room_for(
    java: Bed, room: int, returned: str
) -> None:
    assert verbs_of(java).resolved_topic("Football/Scores", room) == returned


def test_d4_when_the_version_of_mqsro_is_wrong_then_2438(java: Bed) -> None:
    sub = java.sub("d/4", M | mq.MQSO_PUBLICATIONS_ON_REQUEST)
    ask = verbs_of(java).request_publications
    number, action = sub.handle.handle_id, mq.MQSR_ACTION_PUBLICATION
    assert reason_of(ask, number, action, 0, version=9) == 2438
    assert reason_of(ask, number, action, 0) == 2437


def test_i2_when_a_topic_is_consumed_then_its_publications_come(java: Bed) -> None:
    assert verbs_of(java).published_by_jms("i/2", "here") == "here"


def test_i2_when_spi_subscribe_is_not_listed_then_it_is_sent_and_answered(
    java: Bed, monkeypatch: pytest.MonkeyPatch
) -> None:
    offered = {verb: row for verb, row in spi_calls._OFFERED.items() if verb != SPI_SUBSCRIBE}
    monkeypatch.setattr(spi_calls, "_OFFERED", offered)
    assert verbs_of(java).published_by_jms("i/2", "here") == "here"


def test_i2_when_spi_subscribe_is_refused_then_2298_and_mqsub_works(
    java: Bed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The client does not fall back by itself, but it does not hang either."""
    offered = {verb: row for verb, row in spi_calls._OFFERED.items() if verb != SPI_SUBSCRIBE}
    steps = tuple(verb for verb in spi_calls._STEPS if verb != SPI_SUBSCRIBE)
    monkeypatch.setattr(spi_calls, "_OFFERED", offered)
    monkeypatch.setattr(spi_calls, "_STEPS", steps)
    assert reason_of(verbs_of(java).published_by_jms, "i/2", "here") == 2298
    sub = java.sub("i/2", M)
    java.pub("i/2", "by MQSUB")
    assert sub.texts() == ["by MQSUB"]


def test_i2_when_there_is_no_spi_at_all_then_2298_and_mqsub_works(
    java: Bed, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(conversation: Conversation, one: Segment) -> None:
        values = conversation.read(one)
        spi_calls._refuse(values, mq_error(2298))
        conversation.reply(one.header, values)

    monkeypatch.setitem(CALLS, SPI, refuse)
    assert reason_of(verbs_of(java).published_by_jms, "i/2", "here") == 2298
    sub = java.sub("i/2", M)
    java.pub("i/2", "by MQSUB")
    assert sub.texts() == ["by MQSUB"]
