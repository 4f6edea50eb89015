"""MQTM: the data of a trigger message."""

from __future__ import annotations

from typing import ClassVar, Final, final

from ternmq.base.reasons import MQRC_TM_ERROR
from ternmq.codec.mqi.layout import Layout, chars, i32
from ternmq.codec.mqi.structure import Structure

LAYOUT: Final = Layout(
    "MQTM",
    "TM  ",
    MQRC_TM_ERROR,
    (1, 1),
    (
        chars("queue_name", 48),
        chars("process_name", 48),
        chars("trigger_data", 64),
        i32("application_type"),
        chars("application_id", 256),
        chars("environment_data", 128),
        chars("user_data", 128),
    ),
)


@final
class TriggerMessage(Structure):
    """MQTM: the data of a trigger message."""

    LAYOUT: ClassVar[Layout] = LAYOUT

    def __init__(
        self,
        *,
        queue_name: str = "",
        process_name: str = "",
        trigger_data: str = "",
        application_type: int = 0,
        application_id: str = "",
        environment_data: str = "",
        user_data: str = "",
        version: int = 1,
    ) -> None:
        super().__init__(version=version)
        self.queue_name = queue_name
        self.process_name = process_name
        self.trigger_data = trigger_data
        self.application_type = application_type
        self.application_id = application_id
        self.environment_data = environment_data
        self.user_data = user_data
