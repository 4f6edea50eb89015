"""Goal: an agent knows whether its partner records activities of trace-route messages.

Method: a receiving agent and a sender made of bytes, which says so or not.
"""

from __future__ import annotations

import pytest

from ternmq.base.object_types import RECEIVER, SENDER
from ternmq.channel.agent import READ_STATE
from ternmq.channel.channel_state import NO_LUWID
from ternmq.channel.opening import wishes
from ternmq.channel.receiver import ReceivingAgent
from ternmq.wire.fap import vocabulary as fap
from ternmq.wire.fap.dialogue import ACCEPTOR
from ternmq.wire.fap.segment import read_segment
from tests.unit.channel.model import Engine, settings
from tests.unit.channel.raw import WRITER, Raw

pytestmark = pytest.mark.core


@pytest.mark.parametrize("traces", [False, True])
def test_partner_when_it_says_whether_it_traces_then_the_engine_is_asked_accordingly(
    traces: bool,
) -> None:
    partner = settings(SENDER, "QMA")
    raw = Raw(ReceivingAgent(settings(RECEIVER, "QMB"), ACCEPTOR), Engine(False), partner)
    said = wishes(partner, False)
    if not traces:
        said.capabilities_2 &= ~fap.CAP_TRACE_ROUTE
    raw.initial(said)
    assert raw.agent.traces == traces
    resync = WRITER.resync(fap.CONFIRM_REQUEST, 0, NO_LUWID)
    raw.agent.received(read_segment(resync), raw.now)
    want = raw.agent.want
    assert want is not None
    assert (want.kind, want.traces) == (READ_STATE, traces)
