"""Goal: ternmq.convert is MQXCNVC: text in another character set, its options, its reasons.

Method: known bytes, buffers that are too short, and arguments that are wrong.
"""

from __future__ import annotations

import pytest

import ternmq
from ternmq import constants as mq

FILL = mq.MQDCC_FILL_TARGET_BUFFER


def test_text_when_converted_then_it_has_the_targets_bytes() -> None:
    assert ternmq.convert(b"\xc1\xc2", 500, 1208) == b"AB"
    assert ternmq.convert("é".encode(), 0, 819) == b"\xe9"
    assert ternmq.convert(b"A", 1208, 1200) == b"A\0"
    assert ternmq.convert(b"A", 1208, 1200, mq.MQDCC_TARGET_ENC_NORMAL) == b"\0A"
    assert ternmq.convert(b"\0A", 1200, 37, mq.MQDCC_SOURCE_ENC_NORMAL) == b"\xc1"
    big = {"source_encoding": mq.MQENC_INTEGER_NORMAL, "target_encoding": mq.MQENC_INTEGER_NORMAL}
    assert ternmq.convert(b"\0A", 13488, 1200, **big) == b"\0A"
    assert ternmq.convert(b"", 500, 1208) == b""


def test_buffer_when_filled_then_blanks_fill_it_or_make_room() -> None:
    assert ternmq.convert(b"AB", 819, 500, FILL, 4) == b"\xc1\xc2\x40\x40"
    assert ternmq.convert(b"AB  ", 819, 500, FILL, 2) == b"\xc1\xc2"
    assert ternmq.convert("ä ".encode("latin-1"), 819, 1208, FILL, 2) == "ä".encode()
    assert ternmq.convert(b"A\0junk", 819, 500, FILL, 3) == b"\xc1\0\x40"
    assert ternmq.convert(b"A", 819, 1200, FILL | mq.MQDCC_TARGET_ENC_NORMAL, 4) == b"\0A\0 "


@pytest.mark.parametrize("options", [0, FILL])
def test_buffer_when_too_short_then_what_fits_comes_with_2120(options: int) -> None:
    with pytest.raises(ternmq.Truncated) as caught:
        ternmq.convert("äöü".encode("latin-1"), 819, 1208, options, 5)
    assert caught.value.reason == mq.MQRC_CONVERTED_MSG_TOO_BIG
    assert caught.value.result == "äö".encode()


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ((b"a", 99999, 1208), mq.MQRC_SOURCE_CCSID_ERROR),
        ((b"a", 1208, 99999), mq.MQRC_TARGET_CCSID_ERROR),
        ((b"a", -1, 1208), mq.MQRC_SOURCE_CCSID_ERROR),
        ((b"\x81", 943, 1208), mq.MQRC_DBCS_ERROR),
        ((b"\xff", 1208, 819), mq.MQRC_NOT_CONVERTED),
        ((b"abc", 1200, 1208), mq.MQRC_SOURCE_LENGTH_ERROR),
        ((b"a", 819, 1200, FILL, 3), mq.MQRC_TARGET_LENGTH_ERROR),
        ((b"a", 819, 500, FILL), mq.MQRC_TARGET_LENGTH_ERROR),
        ((b"a", 819, 500, 0x10000), mq.MQRC_OPTIONS_ERROR),
        ((b"\0a", 1200, 500, 0x30), mq.MQRC_SOURCE_INTEGER_ENC_ERROR),
        ((b"a", 500, 1200, 0x300), mq.MQRC_TARGET_INTEGER_ENC_ERROR),
    ],
)
def test_arguments_when_wrong_then_the_reason_is_mqxcnvcs(
    arguments: tuple[bytes, int, int], reason: int
) -> None:
    with pytest.raises(ternmq.MQError) as caught:
        ternmq.convert(*arguments)
    assert (caught.value.reason, caught.value.verb) == (reason, "MQXCNVC")
