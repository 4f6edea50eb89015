"""Goal: what a client says of itself over a channel does not make its messages the queue manager's.

Method: a partner that speaks the protocol by its tables connects with a made-up application type,
and with a user id that is another user's, blanks and more.
"""

import asyncio

import pytest

from ternmq import constants as mq
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.kernel.channel_instance import ChannelInstance
from ternmq.network.edge.admission import Peer
from ternmq.wire.fap import vocabulary as fap
from tests.unit.network.partner import EverybodyComesIn, Partner, Place

pytestmark = pytest.mark.core


class AsTheySay(EverybodyComesIn):
    """All partners come in as whom they say they are."""

    async def user(
        self,
        instance: ChannelInstance,
        peer: Peer,
        client_user: str,
        csp_user: str,
        csp_password: str | None,
        application: str = "",
        exit_user: str | None = None,
    ) -> str:
        return client_user


def connected_as(user: str, appl_type: int) -> tuple[int, Descriptor | None]:
    """The reason of MQCONN, and the descriptor of a message that was put then."""

    async def run() -> tuple[int, Descriptor | None]:
        place = Place(10)
        place.acceptor.admission = AsTheySay(place.host)
        partner = Partner(place.host)
        try:
            await partner.open_channel()
            partner.send_flow(fap.USERID_DATA, {"user_id": user[:12], "long_user_id": user})
            given = {"qmgr_name": "QM1", "appl_name": "QM1", "appl_type": appl_type, "fcno": {}}
            reply = await partner.call(fap.MQCONN, given)
            if reply["reason"]:
                return reply["reason"], None
            handle = await partner.open("A", mq.MQOO_OUTPUT)
            descriptor: Descriptor = (await partner.put(handle, b"x"))["descriptor"]
            return 0, descriptor
        finally:
            await partner.lose()
            place.admin.disconnect()
            await place.host.loop_shell.drain()
            await asyncio.to_thread(place.started.stop)

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("reported", "kept"),
    [
        (mq.MQAT_JAVA, mq.MQAT_JAVA),
        (mq.MQAT_USER_FIRST, mq.MQAT_USER_FIRST),
        (mq.MQAT_QMGR, mq.MQAT_DEFAULT),
        (mq.MQAT_QMGR_PUBLISH, mq.MQAT_DEFAULT),
        (mq.MQAT_NO_CONTEXT, mq.MQAT_DEFAULT),
    ],
)
def test_application_type_when_it_is_the_queue_managers_then_not_taken(
    reported: int, kept: int
) -> None:
    reason, descriptor = connected_as("joe", reported)
    assert reason == 0
    assert descriptor is not None
    assert descriptor.put_appl_type == kept


def test_user_when_the_name_goes_on_behind_blanks_then_refused() -> None:
    assert connected_as("mqm" + " " * 9 + "x", mq.MQAT_JAVA) == (mq.MQRC_NOT_AUTHORIZED, None)
