"""GroupStatus, SegmentStatus and Segmentation of MQGMO, from the MsgFlags of a message."""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64

from ternmq.base import constants as mq

_FLAG_BITS: Final = 0x1F  # MQMF_SEGMENTATION_ALLOWED to MQMF_LAST_MSG_IN_GROUP


def group_status(flags: i64) -> str:
    """G: in a group, L: the last message of one, blank: in none."""
    if flags & mq.MQMF_LAST_MSG_IN_GROUP:
        return mq.MQGS_LAST_MSG_IN_GROUP
    return mq.MQGS_MSG_IN_GROUP if flags & mq.MQMF_MSG_IN_GROUP else mq.MQGS_NOT_IN_GROUP


def segment_status(flags: i64) -> str:
    """S: a segment, L: the last one of its logical message, blank: no segment."""
    if flags & mq.MQMF_LAST_SEGMENT:
        return mq.MQSS_LAST_SEGMENT
    return mq.MQSS_SEGMENT if flags & mq.MQMF_SEGMENT else mq.MQSS_NOT_A_SEGMENT


def segmentation(flags: i64) -> str:
    """A: the message may be split, blank: it may not."""
    allowed = flags & mq.MQMF_SEGMENTATION_ALLOWED
    return mq.MQSEG_ALLOWED if allowed else mq.MQSEG_INHIBITED


def statuses(flags: i64) -> str:
    """The three as they stand in MQGMO, with the reserved character behind them."""
    return group_status(flags) + segment_status(flags) + segmentation(flags) + " "


def wire_status(flags: int) -> int:
    """Status of an ASYNC_MESSAGE: a bit that is always set, and above it the bits of MsgFlags, from
    which a client fills the three."""
    return 1 | (flags & _FLAG_BITS) << 1
