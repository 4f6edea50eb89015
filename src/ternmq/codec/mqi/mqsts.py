"""MQSTS: what MQSTAT reports of earlier calls."""

from __future__ import annotations

from typing import ClassVar, Final, final

from ternmq.base.constants import MQOT_Q
from ternmq.base.reasons import MQRC_STS_ERROR
from ternmq.codec.mqi.charv import CharV
from ternmq.codec.mqi.layout import Layout, chars, charv, i32
from ternmq.codec.mqi.structure import Structure

LAYOUT: Final = Layout(
    "MQSTS",
    "STAT",
    MQRC_STS_ERROR,
    (1, 2),
    (
        i32("comp"),
        i32("reason"),
        i32("put_success_count"),
        i32("put_warning_count"),
        i32("put_failure_count"),
        i32("object_type"),
        chars("object_name", 48),
        chars("object_qmgr_name", 48),
        chars("resolved_object_name", 48),
        chars("resolved_qmgr_name", 48),
        charv("object_string", 2),
        charv("subscription_name", 2),
        i32("open_options", 2),
        i32("subscription_options", 2),
    ),
)


@final
class Status(Structure):
    """MQSTS: what MQSTAT reports of earlier calls."""

    LAYOUT: ClassVar[Layout] = LAYOUT

    def __init__(
        self,
        *,
        comp: int = 0,
        reason: int = 0,
        put_success_count: int = 0,
        put_warning_count: int = 0,
        put_failure_count: int = 0,
        object_type: int = MQOT_Q,
        object_name: str = "",
        object_qmgr_name: str = "",
        resolved_object_name: str = "",
        resolved_qmgr_name: str = "",
        object_string: CharV | None = None,
        subscription_name: CharV | None = None,
        open_options: int = 0,
        subscription_options: int = 0,
        version: int = 2,
    ) -> None:
        super().__init__(version=version)
        self.comp = comp
        self.reason = reason
        self.put_success_count = put_success_count
        self.put_warning_count = put_warning_count
        self.put_failure_count = put_failure_count
        self.object_type = object_type
        self.object_name = object_name
        self.object_qmgr_name = object_qmgr_name
        self.resolved_object_name = resolved_object_name
        self.resolved_qmgr_name = resolved_qmgr_name
        self.object_string = object_string or CharV()
        self.subscription_name = subscription_name or CharV()
        self.open_options = open_options
        self.subscription_options = subscription_options
        self.topic_string = ""  # what ObjectString describes
