"""MQTMC2: the trigger message as a trigger monitor hands it to a program: all characters."""

from __future__ import annotations

from typing import ClassVar, Final, final

from ternmq.base.reasons import MQRC_TMC_ERROR
from ternmq.codec.mqi.layout import Layout, chars
from ternmq.codec.mqi.structure import Structure

LAYOUT: Final = Layout(
    "MQTMC2",
    "TMC ",
    MQRC_TMC_ERROR,
    (1, 2),
    (
        chars("queue_name", 48),
        chars("process_name", 48),
        chars("trigger_data", 64),
        chars("application_type", 4),
        chars("application_id", 256),
        chars("environment_data", 128),
        chars("user_data", 128),
        chars("qmgr_name", 48, 2),
    ),
    text_version=True,
)


@final
class TriggerMessageText(Structure):
    """MQTMC2: the trigger message as a trigger monitor hands it to a program: all characters."""

    LAYOUT: ClassVar[Layout] = LAYOUT

    def __init__(
        self,
        *,
        queue_name: str = "",
        process_name: str = "",
        trigger_data: str = "",
        application_type: str = "",
        application_id: str = "",
        environment_data: str = "",
        user_data: str = "",
        qmgr_name: str = "",
        version: int = 2,
    ) -> None:
        super().__init__(version=version)
        self.queue_name = queue_name
        self.process_name = process_name
        self.trigger_data = trigger_data
        self.application_type = application_type
        self.application_id = application_id
        self.environment_data = environment_data
        self.user_data = user_data
        self.qmgr_name = qmgr_name
