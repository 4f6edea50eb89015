"""Goal: MQSUBRQ by the client protocol, and an MQSRO of another version (row D4).

Method: a partner in the same loop sends the structures.
"""

from __future__ import annotations

import pytest

from ternmq.base import constants as mq
from ternmq.codec.mqi.mqsd import SubscriptionDescriptor
from ternmq.wire.fap import vocabulary as fap
from tests.unit.network.partner import Partner, Place, run_story

pytestmark = pytest.mark.core
OPTIONS = mq.MQSO_CREATE | mq.MQSO_MANAGED | mq.MQSO_PUBLICATIONS_ON_REQUEST


def test_d4_when_version_of_mqsro_is_wrong_then_2438() -> None:
    async def story(place: Place, partner: Partner) -> None:
        sd = SubscriptionDescriptor(options=OPTIONS, object_name="SYSTEM.ADMIN.TOPIC")
        made = await partner.call(fap.MQSUB, {"subscription": sd})
        assert made["reason"] == 0
        asked = {"handle": made["subscription_handle"], "action": mq.MQSR_ACTION_PUBLICATION}
        assert (await partner.call(fap.MQSUBRQ, {**asked, "version": 9}))["reason"] == 2438
        assert (await partner.call(fap.MQSUBRQ, {**asked, "version": 1}))["reason"] == 2437

    run_story(story)
