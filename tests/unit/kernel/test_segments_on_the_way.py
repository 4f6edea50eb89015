"""Goal: the scenario of a message with properties that is split, in the variants in which others
leave a message behind that no channel can take: here every segment fits every limit on its way.

Method: limits of about 4 MiB as in the scenario; the messages on the transmission queue are taken
apart as a receiver does, and put on their target queue.
"""

from __future__ import annotations

import pytest

import ternmq
from ternmq import constants as mq
from ternmq.codec.headers.mqxqh import TransmissionHeader

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
        for length in LENGTHS:
            data = data_of(length)
            qmgr.put("FAR", data, descriptor=allowed, properties=PROPERTIES)
            with qmgr.queue("QM2") as sent:
                for message in sent:
                    assert message.length <= min(own, transmission)
                    received(other, message.data)
            with other.queue("T") as queue:
                whole = queue.get(options=mq.MQGMO_COMPLETE_MSG)
                assert whole.data == data
                assert dict(whole.properties) == PROPERTIES
                assert queue.depth == 0


def received(other: ternmq.QueueManager, data: bytes) -> None:
    """What the far end of a channel does with a message of a transmission queue."""
    header = TransmissionHeader.unpack(data)
    body = data[mq.MQXQH_CURRENT_LENGTH :]
    md = header.descriptor
    md.version = 1
    other.put(header.remote_queue, body, descriptor=md, options=mq.MQPMO_SET_ALL_CONTEXT)
