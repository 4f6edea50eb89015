"""MQXCNVC: text from one character set into another, with its options and reasons.

Options are MQDCC_. The byte orders of wide characters, source and target, are in the options as
IBM MQ has them (MQDCC_SOURCE_ENC_, MQDCC_TARGET_ENC_), or given as encodings; native by default.
"""

from __future__ import annotations

from typing import Final

from ternmq.base import constants as mq
from ternmq.base.errors import mq_error
from ternmq.base.reasons import (
    MQRC_CONVERTED_MSG_TOO_BIG,
    MQRC_OPTIONS_ERROR,
    MQRC_SOURCE_INTEGER_ENC_ERROR,
    MQRC_SOURCE_LENGTH_ERROR,
    MQRC_TARGET_INTEGER_ENC_ERROR,
    MQRC_TARGET_LENGTH_ERROR,
)
from ternmq.codec import charset
from ternmq.codec.mqi.layout import byte_order
from ternmq.codec.text_conversion import (
    ConversionError,
    Sets,
    convert_text,
    filled,
    whole_characters,
)

VERB: Final = "MQXCNVC"
_OPTIONS: Final = (
    mq.MQDCC_FILL_TARGET_BUFFER
    | mq.MQDCC_DEFAULT_CONVERSION
    | mq.MQDCC_SOURCE_ENC_MASK
    | mq.MQDCC_TARGET_ENC_MASK
)
_ORDERS: Final = (mq.MQENC_INTEGER_NORMAL, mq.MQENC_INTEGER_REVERSED)


def convert(
    data: bytes,
    source_ccsid: int,
    target_ccsid: int,
    options: int = 0,
    length: int = -1,
    source_encoding: int = mq.MQENC_NATIVE,
    target_encoding: int = mq.MQENC_NATIVE,
) -> bytes:
    """The text in the target's set. `length`: of the target's buffer; negative: as long as needed.

    Text that does not fit is MQRC_CONVERTED_MSG_TOO_BIG, and `result` of that error is what does.
    MQDCC_FILL_TARGET_BUFFER fills the buffer with blanks, and leaves out what follows a NUL, and
    blanks at the end, to make text fit. 0 (MQCCSI_DEFAULT) is UTF-8, 1208."""
    if options & ~_OPTIONS:
        raise mq_error(MQRC_OPTIONS_ERROR, verb=VERB, detail=f"options {options & ~_OPTIONS:#x}")
    source = _order(options, mq.MQDCC_SOURCE_ENC_MASK, mq.MQDCC_SOURCE_ENC_FACTOR, source_encoding)
    target = _order(options, mq.MQDCC_TARGET_ENC_MASK, mq.MQDCC_TARGET_ENC_FACTOR, target_encoding)
    sets = Sets(
        source_ccsid or charset.UTF8,
        byte_order(source),
        target_ccsid or charset.UTF8,
        byte_order(target),
    )
    _check_orders(sets, source, target)
    if charset.is_wide(sets.source) and len(data) % 2:
        detail = f"{len(data)} bytes of wide characters"
        raise mq_error(MQRC_SOURCE_LENGTH_ERROR, verb=VERB, detail=detail)
    if options & mq.MQDCC_FILL_TARGET_BUFFER:
        if length < 0 or (charset.is_wide(sets.target) and length % 2):
            detail = f"MQDCC_FILL_TARGET_BUFFER and a length of {length}"
            raise mq_error(MQRC_TARGET_LENGTH_ERROR, verb=VERB, detail=detail)
    try:
        made = convert_text(data, sets)
        if options & mq.MQDCC_FILL_TARGET_BUFFER:
            return filled(_fitted(made, sets, length), length, sets)
    except ConversionError as error:
        detail = f"from CCSID {sets.source} to CCSID {sets.target}"
        raise mq_error(error.reason, verb=VERB, detail=detail) from None
    if 0 <= length < len(made):
        raise _too_big(made, sets, length)
    return made


def _order(options: int, mask: int, factor: int, encoding: int) -> int:
    """The integer encoding of one side."""
    return (options & mask) // factor or encoding


def _check_orders(sets: Sets, source: int, target: int) -> None:
    """Only wide characters have an order."""
    if charset.is_wide(sets.source) and source & mq.MQENC_INTEGER_MASK not in _ORDERS:
        raise mq_error(MQRC_SOURCE_INTEGER_ENC_ERROR, verb=VERB, detail=f"encoding {source}")
    if charset.is_wide(sets.target) and target & mq.MQENC_INTEGER_MASK not in _ORDERS:
        raise mq_error(MQRC_TARGET_INTEGER_ENC_ERROR, verb=VERB, detail=f"encoding {target}")


def _fitted(made: bytes, sets: Sets, length: int) -> bytes:
    """What fits, if what is left out says nothing."""
    if len(made) <= length:
        return made
    text = charset.decode(made, sets.target, sets.target_order)
    end = text.find("\0")
    text = text[: end + 1] if end >= 0 else text.rstrip(" ")
    short = charset.encode(text, sets.target, sets.target_order)
    if len(short) > length:
        raise _too_big(made, sets, length)
    return short


def _too_big(made: bytes, sets: Sets, length: int) -> Exception:
    return mq_error(
        MQRC_CONVERTED_MSG_TOO_BIG,
        verb=VERB,
        detail=f"{len(made)} bytes once converted, the buffer has {length}",
        result=whole_characters(made[:length], sets.target, sets.target_order),
    )
