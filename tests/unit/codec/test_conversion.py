"""Goal: MQGMO_CONVERT turns text into the character set asked for and loses nothing if it cannot.

Method: put messages in several character sets to a memory queue manager and get them converted.
"""

from __future__ import annotations

import ternmq
from ternmq import Descriptor
from ternmq.base import constants as mq
from ternmq.base.reasons import (
    MQRC_DBCS_ERROR,
    MQRC_FORMAT_ERROR,
    MQRC_NOT_CONVERTED,
    MQRC_SOURCE_CCSID_ERROR,
)
from ternmq.codec.mqi.layout import BIG
from ternmq.codec.pcf.parameter import group, integers64, string, strings
from ternmq.codec.pcf.structures import PCFMessage, unpack_pcf
from ternmq.codec.text_conversion import PARTS_MAX


def got(data: bytes, md: Descriptor) -> ternmq.Message:
    with ternmq.memory() as qmgr:
        qmgr.define_queue("Q")
        with qmgr.queue("Q") as queue:
            queue.put(data, descriptor=md)
            return queue.get(options=mq.MQGMO_CONVERT)


def test_ebcdic_text_becomes_utf8() -> None:
    message = got("Grüße".encode("cp037"), Descriptor(format=mq.MQFMT_STRING, ccsid=37))
    assert message.data == "Grüße".encode()
    assert message.descriptor.ccsid == 1208
    assert message.text == "Grüße"
    assert message.warning == 0


def test_text_stays_in_its_character_set_without_the_option() -> None:
    with ternmq.memory() as qmgr:
        qmgr.define_queue("Q")
        with qmgr.queue("Q") as queue:
            queue.put("é".encode("latin-1"), descriptor=Descriptor(format="MQSTR", ccsid=819))
            message = queue.get()
    assert message.data == b"\xe9"
    assert message.descriptor.ccsid == 819
    assert message.text == "é"


def test_data_that_is_no_text_comes_as_it_is_with_a_warning() -> None:
    message = got(b"\x01\x02", Descriptor(format="MYFORM", ccsid=37))
    assert message.data == b"\x01\x02"
    assert message.warning == MQRC_FORMAT_ERROR


def test_unknown_character_set_comes_as_it_is_with_a_warning() -> None:
    message = got(b"abc", Descriptor(format=mq.MQFMT_STRING, ccsid=9999))
    assert message.data == b"abc"
    assert message.warning == MQRC_SOURCE_CCSID_ERROR


def test_text_when_the_target_lacks_characters_then_they_are_substituted() -> None:
    message = got("日本x".encode(), Descriptor(format=mq.MQFMT_STRING, ccsid=1208))
    message.convert(819, mq.MQENC_NATIVE)
    assert (message.data, message.warning) == (b"\x1a\x1ax", 0)


def test_text_when_it_is_not_of_its_set_then_it_comes_as_it_is_with_a_warning() -> None:
    for data, ccsid, reason in (
        (b"\xff\xfe", 1208, MQRC_NOT_CONVERTED),
        (b"\xd8\x00", 1200, MQRC_NOT_CONVERTED),
        (b"a\x81", 943, MQRC_DBCS_ERROR),
    ):
        md = Descriptor(format=mq.MQFMT_STRING, ccsid=ccsid, encoding=mq.MQENC_INTEGER_NORMAL)
        with_convert = got(data, md)
        with_convert.convert(819, mq.MQENC_NATIVE)
        assert (with_convert.data, with_convert.warning) == (data, reason)
        assert with_convert.descriptor.ccsid == ccsid


def test_pcf_changes_byte_order_and_character_set() -> None:
    own = string(mq.MQCA_Q_DESC, "Größe", 64)
    own.ccsid = 273
    sent = PCFMessage(
        mq.MQCFT_EVENT,
        mq.MQCMD_CONFIG_EVENT,
        [own, group(1, [integers64(2, [1, -1]), strings(mq.MQCA_NAMES, ["A", "BC"], 48)])],
        version=3,
    )
    for name in (mq.MQFMT_ADMIN, mq.MQFMT_EVENT, mq.MQFMT_PCF):
        md = Descriptor(format=name, ccsid=500, encoding=273)
        message = got(sent.pack(BIG, 500), md)
        assert message.warning == 0
        assert (message.descriptor.ccsid, message.descriptor.encoding) == (1208, 546)
        assert unpack_pcf(message.data) == sent


def test_pcf_of_one_character_set_still_changes_byte_order() -> None:
    sent = PCFMessage(mq.MQCFT_COMMAND, mq.MQCMD_INQUIRE_Q, [string(mq.MQCA_Q_NAME, "*")])
    message = got(sent.pack(BIG), Descriptor(format=mq.MQFMT_ADMIN, ccsid=1208, encoding=273))
    assert message.data == sent.pack()


def test_bad_pcf_comes_as_it_is_with_a_warning() -> None:
    message = got(b"no pcf", Descriptor(format=mq.MQFMT_PCF, ccsid=500, encoding=273))
    assert (message.data, message.warning) == (b"no pcf", MQRC_FORMAT_ERROR)


def test_pcf_of_very_many_structures_comes_as_it_is() -> None:
    """Each costs microseconds of the loop that serves everybody."""
    md = Descriptor(format=mq.MQFMT_PCF, ccsid=37, encoding=mq.MQENC_NATIVE)
    few = PCFMessage(1, 1, [strings(1, ["a"] * (PARTS_MAX - 1))])
    assert got(few.pack(ccsid=37), md).warning == 0
    for many in (
        PCFMessage(1, 1, [strings(1, ["a"] * PARTS_MAX)]),
        PCFMessage(1, 1, [group(1, [integers64(2, [3])] * PARTS_MAX)]),
    ):
        data = many.pack(ccsid=37)
        message = got(data, md)
        assert (message.data, message.warning) == (data, MQRC_FORMAT_ERROR)
