"""Goal: the scenario of a message with properties that is split, in the variants in which others
leave a message behind that no channel can take: here every segment fits every limit on its way.

Method: limits of about 4 MiB as in the scenario; the messages on the transmission queue go over a
channel whose MAXMSGL is the default, by the steps of both its ends.
"""

from __future__ import annotations

import pytest

import ternmq
from ternmq import constants as mq
from ternmq.channel import agent
from tests.unit.kernel.channel_rig import CHANNEL, LUWIDS, End

pytestmark = pytest.mark.core

DEFAULT = 4_194_304
MORE = 4_200_000
LESS = 4_100_000
PROPERTIES = {f"name{number}": "v" * 250 for number in range(4)}
LENGTHS = (DEFAULT, DEFAULT - 1, DEFAULT - 500, DEFAULT - 2000, DEFAULT - 4000, DEFAULT + 1)


def data_of(length: int) -> bytes:
    return (bytes(range(256)) * (length // 256 + 1))[:length]


@pytest.mark.parametrize(
    ("own", "transmission", "target"),
    [
        (DEFAULT, DEFAULT, DEFAULT),  # as it comes; a channel's MAXMSGL is no matter here
        (DEFAULT, MORE, DEFAULT),
        (DEFAULT, DEFAULT, MORE),
        (LESS, DEFAULT, DEFAULT),
        (DEFAULT, MORE, MORE),
    ],
    ids=["defaults", "transmission queue", "destination", "own manager", "all but own manager"],
)
def test_message_with_properties_when_split_then_no_segment_is_too_long_on_its_way(
    own: int, transmission: int, target: int
) -> None:
    """X1, X2."""
    allowed = ternmq.Descriptor(version=2, msg_flags=mq.MQMF_SEGMENTATION_ALLOWED)
    with ternmq.memory("QM1") as qmgr, ternmq.memory("QM2") as other:
        qmgr.define_queue("QM2", usage=mq.MQUS_TRANSMISSION, max_message_length=transmission)
        qmgr.mqsc("DEFINE QREMOTE(FAR) RNAME(T) RQMNAME(QM2)")
        qmgr.mqsc(f"ALTER QMGR MAXMSGL({own})")
        other.mqsc(f"ALTER QMGR MAXMSGL({target})")
        other.define_queue("T", max_message_length=target)
        qmgr.mqsc(f"DEFINE CHANNEL({CHANNEL}) CHLTYPE(SDR) CONNAME('x') XMITQ(QM2)")
        other.mqsc(f"DEFINE CHANNEL({CHANNEL}) CHLTYPE(RCVR)")
        sender = End(qmgr, is_sender=True, partner="QM2", xmitq="QM2")
        receiver = End(other, is_sender=False, partner="QM1")
        sender.start()
        receiver.start()
        for length in LENGTHS:
            data = data_of(length)
            qmgr.put("FAR", data, descriptor=allowed, properties=PROPERTIES)
            count = transmit(sender, receiver)
            assert count >= 1
            with other.queue("T") as queue:
                whole = queue.get(options=mq.MQGMO_COMPLETE_MSG)
                assert whole.data == data
                assert dict(whole.properties) == PROPERTIES
                assert queue.depth == 0


def transmit(sender: End, receiver: End) -> int:
    """One batch of all that waits; how many messages that were."""
    count = 0
    while True:
        got = sender.run(agent.GET, bytes_max=DEFAULT)
        if got.message is None:
            break
        assert got.reason == 0
        placed = receiver.run(agent.PLACE, message=got.message)
        assert placed.outcome == agent.PLACED
        count += 1
    before = receiver.work.state
    assert before is not None
    last = before.last_sequence + count
    sender.run(agent.PREPARE, luwid=LUWIDS[0], sequence=last, messages=count)
    receiver.run(agent.COMMIT, luwid=LUWIDS[0], sequence=last, messages=count)
    sender.run(agent.COMMIT, luwid=LUWIDS[0], sequence=last, messages=count)
    return count
