"""Goal: structures as they stand in published segments are read and written byte for byte.

Method: two segments (the answer to an open, the answer to a get) that an independent dissector of
the protocol decoded without complaint; the structures begin behind a header of 44 bytes.
"""

import pytest

from ternmq.base.ids import message_id_stem, unique_id
from ternmq.codec.mqi.layout import BIG
from ternmq.codec.mqi.mqgmo import GetOptions
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.mqi.mqod import ObjectDescriptor

pytestmark = pytest.mark.core

OPEN_REPLY = bytes.fromhex("""
    54534820000000f40193300000000000000000000000011104b80000000000f4
    0000000000000000000000024f44202000000001000000014445562e51554555
    452e312020202020202020202020202020202020202020202020202020202020
    2020202020202020202020202020202020202020202020202020202020202020
    202020202020202020202020202020202020202020202020414d512e2a202020
    2020202020202020202020202020202020202020202020202020202020202020
    202020202020202020202020202020202020202000002011464f504100000001
    0000001c00000000000000010000000000000000
""")
GET_REPLY = bytes.fromhex("""
    54534820000001c10195300000000000000000000000011104b80000000001c1
    0000000000000000000000024d442020000000010000000000000008ffffffff
    0000000000000111000004b84d515354522020200000000400000000414d5120
    514d312020202020202020201112131415161718000000000000000000000000
    0000000000000000000000000000000020202020202020202020202020202020
    2020202020202020202020202020202020202020202020202020202020202020
    514d312020202020202020202020202020202020202020202020202020202020
    2020202020202020202020202020202061707020202020202020202000000000
    0000000000000000000000000000000000000000000000000000000020202020
    202020202020202020202020202020202020202020202020202020200000001c
    4d79417070202020202020202020202020202020202020202020202032303236
    30313031313230303030303020202020474d4f20000000010000000100001388
    00000000000000004445562e51554555452e3120202020202020202020202020
    2020202020202020202020202020202020202020202020200000000568656c6c
    6f
""")
START = 44


def test_object_descriptor_of_the_open_is_understood() -> None:
    read = ObjectDescriptor.unpack(OPEN_REPLY, START, BIG)
    assert read == ObjectDescriptor(object_name="DEV.QUEUE.1", version=1)
    assert read.dynamic_queue_name == "AMQ.*"
    assert read.pack(BIG) == OPEN_REPLY[START : START + 168]


def test_descriptor_of_the_message_is_understood() -> None:
    read = Descriptor.unpack(GET_REPLY, START, BIG)
    assert read == Descriptor(
        version=1,
        encoding=273,
        ccsid=1208,
        format="MQSTR",
        priority=4,
        persistence=0,
        msg_id=unique_id(message_id_stem("QM1"), 0x1112131415161718),
        reply_to_qmgr="QM1",
        user_id="app",
        put_appl_type=28,
        put_appl_name="MyApp",
        put_date="20260101",
        put_time="12000000",
    )
    assert read.pack(BIG) == GET_REPLY[START : START + 324]


def test_options_of_the_get_are_understood() -> None:
    start = START + 324
    read = GetOptions.unpack(GET_REPLY, start, BIG)
    assert read == GetOptions(
        options=1, wait_interval=5000, resolved_queue_name="DEV.QUEUE.1", version=1
    )
    assert read.pack(BIG) == GET_REPLY[start : start + 72]
    assert GET_REPLY[start + 72 + 4 :] == b"hello"
