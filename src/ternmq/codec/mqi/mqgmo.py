"""MQGMO: how MQGET is to get."""

from __future__ import annotations

from typing import ClassVar, Final, final

from ternmq.base.constants import (
    MQGS_NOT_IN_GROUP,
    MQMO_MATCH_CORREL_ID,
    MQMO_MATCH_MSG_ID,
    MQMTOK_NONE,
    MQRL_UNDEFINED,
    MQSEG_INHIBITED,
    MQSS_NOT_A_SEGMENT,
)
from ternmq.base.reasons import MQRC_GMO_ERROR
from ternmq.codec.mqi.layout import Layout, chars, i32, i64, raw
from ternmq.codec.mqi.structure import Structure

LAYOUT: Final = Layout(
    "MQGMO",
    "GMO ",
    MQRC_GMO_ERROR,
    (1, 4),
    (
        i32("options"),
        i32("wait_interval"),
        i32("signal1"),
        i32("signal2"),
        chars("resolved_queue_name", 48),
        i32("match_options", 2),
        chars("group_status", 1, 2),
        chars("segment_status", 1, 2),
        chars("segmentation", 1, 2),
        chars("reserved1", 1, 2),
        raw("message_token", 16, 3),
        i32("returned_length", 3),
        i32("reserved2", 4),
        i64("message_handle", 4),
    ),
)


@final
class GetOptions(Structure):
    """MQGMO: how MQGET is to get."""

    LAYOUT: ClassVar[Layout] = LAYOUT

    def __init__(
        self,
        *,
        options: int = 0,
        wait_interval: int = 0,
        signal1: int = 0,
        signal2: int = 0,
        resolved_queue_name: str = "",
        match_options: int = MQMO_MATCH_MSG_ID + MQMO_MATCH_CORREL_ID,
        group_status: str = MQGS_NOT_IN_GROUP,
        segment_status: str = MQSS_NOT_A_SEGMENT,
        segmentation: str = MQSEG_INHIBITED,
        reserved1: str = " ",
        message_token: bytes = MQMTOK_NONE,
        returned_length: int = MQRL_UNDEFINED,
        reserved2: int = 0,
        message_handle: int = 0,
        version: int = 4,
    ) -> None:
        super().__init__(version=version)
        self.options = options
        self.wait_interval = wait_interval
        self.signal1 = signal1
        self.signal2 = signal2
        self.resolved_queue_name = resolved_queue_name
        self.match_options = match_options
        self.group_status = group_status
        self.segment_status = segment_status
        self.segmentation = segmentation
        self.reserved1 = reserved1
        self.message_token = message_token
        self.returned_length = returned_length
        self.reserved2 = reserved2
        self.message_handle = message_handle
