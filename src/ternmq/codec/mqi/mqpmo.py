"""MQPMO: how MQPUT and MQPUT1 are to put."""

from __future__ import annotations

from typing import ClassVar, Final, final

from ternmq.base.reasons import MQRC_PMO_ERROR
from ternmq.codec.mqi.layout import Layout, chars, i32, i64, ptr
from ternmq.codec.mqi.structure import Structure

LAYOUT: Final = Layout(
    "MQPMO",
    "PMO ",
    MQRC_PMO_ERROR,
    (1, 3),
    (
        i32("options"),
        i32("timeout"),
        i32("context"),
        i32("known_count"),
        i32("unknown_count"),
        i32("invalid_count"),
        chars("resolved_queue_name", 48),
        chars("resolved_qmgr_name", 48),
        i32("records_present", 2),
        i32("put_record_fields", 2),
        i32("put_record_offset", 2),
        i32("response_record_offset", 2),
        ptr("put_record_ptr", 2),
        ptr("response_record_ptr", 2),
        i64("original_message_handle", 3),
        i64("new_message_handle", 3),
        i32("action", 3),
        i32("publication_level", 3),
    ),
)


@final
class PutOptions(Structure):
    """MQPMO: how MQPUT and MQPUT1 are to put."""

    LAYOUT: ClassVar[Layout] = LAYOUT

    def __init__(
        self,
        *,
        options: int = 0,
        timeout: int = -1,
        context: int = 0,
        known_count: int = 0,
        unknown_count: int = 0,
        invalid_count: int = 0,
        resolved_queue_name: str = "",
        resolved_qmgr_name: str = "",
        records_present: int = 0,
        put_record_fields: int = 0,
        put_record_offset: int = 0,
        response_record_offset: int = 0,
        put_record_ptr: int = 0,
        response_record_ptr: int = 0,
        original_message_handle: int = 0,
        new_message_handle: int = 0,
        action: int = 0,
        publication_level: int = 9,
        version: int = 3,
    ) -> None:
        super().__init__(version=version)
        self.options = options
        self.timeout = timeout
        self.context = context
        self.known_count = known_count
        self.unknown_count = unknown_count
        self.invalid_count = invalid_count
        self.resolved_queue_name = resolved_queue_name
        self.resolved_qmgr_name = resolved_qmgr_name
        self.records_present = records_present
        self.put_record_fields = put_record_fields
        self.put_record_offset = put_record_offset
        self.response_record_offset = response_record_offset
        self.put_record_ptr = put_record_ptr
        self.response_record_ptr = response_record_ptr
        self.original_message_handle = original_message_handle
        self.new_message_handle = new_message_handle
        self.action = action
        self.publication_level = publication_level
