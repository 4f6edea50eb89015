"""MQDLH: why a message is on the dead-letter queue, ahead of its data."""

from __future__ import annotations

from typing import ClassVar, Final, final

from ternmq.base.constants import MQCCSI_UNDEFINED
from ternmq.base.reasons import MQRC_DLH_ERROR
from ternmq.codec.mqi.layout import Layout, chars, i32
from ternmq.codec.mqi.structure import Structure

LAYOUT: Final = Layout(
    "MQDLH",
    "DLH ",
    MQRC_DLH_ERROR,
    (1, 1),
    (
        i32("reason"),
        chars("destination_queue", 48),
        chars("destination_qmgr", 48),
        i32("encoding"),
        i32("ccsid"),
        chars("format", 8),
        i32("put_appl_type"),
        chars("put_appl_name", 28),
        chars("put_date", 8),
        chars("put_time", 8),
    ),
)


@final
class DeadLetterHeader(Structure):
    """MQDLH: why a message is on the dead-letter queue, ahead of its data."""

    LAYOUT: ClassVar[Layout] = LAYOUT

    def __init__(
        self,
        *,
        reason: int = 0,
        destination_queue: str = "",
        destination_qmgr: str = "",
        encoding: int = 0,
        ccsid: int = MQCCSI_UNDEFINED,
        format: str = "",
        put_appl_type: int = 0,
        put_appl_name: str = "",
        put_date: str = "",
        put_time: str = "",
        version: int = 1,
    ) -> None:
        super().__init__(version=version)
        self.reason = reason
        self.destination_queue = destination_queue
        self.destination_qmgr = destination_qmgr
        self.encoding = encoding
        self.ccsid = ccsid
        self.format = format
        self.put_appl_type = put_appl_type
        self.put_appl_name = put_appl_name
        self.put_date = put_date
        self.put_time = put_time
