"""Rows B4 and D4 by IBM's Java client: what it says in structures that our API does not have."""

from __future__ import annotations

import pytest

from ternmq import constants as mq
from tests.bindings.java_verbs import JavaVerbs
from tests.bindings.transport import BindingTransport
from tests.conformance.pubsub.bed import Bed, M, reason_of


def verbs_of(bed: Bed) -> JavaVerbs:
    transport = bed.connection.transport
    assert isinstance(transport, BindingTransport)
    assert isinstance(transport.verbs, JavaVerbs)
    return transport.verbs


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
