"""MQOD: what MQOPEN and MQPUT1 are to open."""

from __future__ import annotations

from typing import ClassVar, Final, final

from ternmq.base.constants import MQOT_Q, MQSID_NONE
from ternmq.base.reasons import MQRC_OD_ERROR
from ternmq.codec.mqi.charv import CharV
from ternmq.codec.mqi.layout import Layout, chars, charv, i32, ptr, raw
from ternmq.codec.mqi.structure import Structure

LAYOUT: Final = Layout(
    "MQOD",
    "OD  ",
    MQRC_OD_ERROR,
    (1, 4),
    (
        i32("object_type"),
        chars("object_name", 48),
        chars("object_qmgr_name", 48),
        chars("dynamic_queue_name", 48),
        chars("alternate_user_id", 12),
        i32("records_present", 2),
        i32("known_count", 2),
        i32("unknown_count", 2),
        i32("invalid_count", 2),
        i32("object_record_offset", 2),
        i32("response_record_offset", 2),
        ptr("object_record_ptr", 2),
        ptr("response_record_ptr", 2),
        raw("alternate_security_id", 40, 3),
        chars("resolved_queue_name", 48, 3),
        chars("resolved_qmgr_name", 48, 3),
        charv("object_string", 4),
        charv("selection_string", 4),
        charv("resolved_object_string", 4),
        i32("resolved_type", 4),
    ),
)


@final
class ObjectDescriptor(Structure):
    """MQOD: what MQOPEN and MQPUT1 are to open."""

    LAYOUT: ClassVar[Layout] = LAYOUT

    def __init__(
        self,
        *,
        object_type: int = MQOT_Q,
        object_name: str = "",
        object_qmgr_name: str = "",
        dynamic_queue_name: str = "AMQ.*",
        alternate_user_id: str = "",
        records_present: int = 0,
        known_count: int = 0,
        unknown_count: int = 0,
        invalid_count: int = 0,
        object_record_offset: int = 0,
        response_record_offset: int = 0,
        object_record_ptr: int = 0,
        response_record_ptr: int = 0,
        alternate_security_id: bytes = MQSID_NONE,
        resolved_queue_name: str = "",
        resolved_qmgr_name: str = "",
        object_string: CharV | None = None,
        selection_string: CharV | None = None,
        resolved_object_string: CharV | None = None,
        resolved_type: int = 0,
        version: int = 4,
    ) -> None:
        super().__init__(version=version)
        self.object_type = object_type
        self.object_name = object_name
        self.object_qmgr_name = object_qmgr_name
        self.dynamic_queue_name = dynamic_queue_name
        self.alternate_user_id = alternate_user_id
        self.records_present = records_present
        self.known_count = known_count
        self.unknown_count = unknown_count
        self.invalid_count = invalid_count
        self.object_record_offset = object_record_offset
        self.response_record_offset = response_record_offset
        self.object_record_ptr = object_record_ptr
        self.response_record_ptr = response_record_ptr
        self.alternate_security_id = alternate_security_id
        self.resolved_queue_name = resolved_queue_name
        self.resolved_qmgr_name = resolved_qmgr_name
        self.object_string = object_string or CharV()
        self.selection_string = selection_string or CharV()
        self.resolved_object_string = resolved_object_string or CharV()
        self.resolved_type = resolved_type

    def copy(self) -> ObjectDescriptor:
        """Another descriptor with the same fields."""
        copied = ObjectDescriptor(version=self.version)
        for field in LAYOUT.fields:
            setattr(copied, field.name, getattr(self, field.name))
        return copied
