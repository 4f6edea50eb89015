"""MQXQH: ahead of every message on a transmission queue; 428 bytes.

    at 0 eye-catcher "XQH ", 4 version, 8 remote_queue c48, 56 remote_qmgr c48,
    104 the MQMD of the message in version 1

What version 2 of the MQMD adds follows, where it is needed, as an MQMDE behind this header.
"""

from __future__ import annotations

from typing import ClassVar, Final, final

from ternmq.base.reasons import MQRC_XQH_ERROR
from ternmq.codec.charset import UTF8
from ternmq.codec.mqi.layout import LITTLE, Layout, Value, chars, raw
from ternmq.codec.mqi.mqmd import BYTES_1, Descriptor
from ternmq.codec.mqi.structure import Structure

_DESCRIPTOR_AT: Final = 104
LAYOUT: Final = Layout(
    "MQXQH",
    "XQH ",
    MQRC_XQH_ERROR,
    (1, 1),
    (
        chars("remote_queue", 48),
        chars("remote_qmgr", 48),
        raw("descriptor", BYTES_1),
    ),
)


@final
class TransmissionHeader(Structure):
    """MQXQH: where a message is to go, and its own descriptor."""

    LAYOUT: ClassVar[Layout] = LAYOUT

    def __init__(
        self,
        *,
        remote_queue: str = "",
        remote_qmgr: str = "",
        descriptor: Descriptor | None = None,
        version: int = 1,
    ) -> None:
        super().__init__(version=version)
        self.remote_queue = remote_queue
        self.remote_qmgr = remote_qmgr
        self.descriptor = descriptor or Descriptor(version=1)

    def shown(self) -> dict[str, object]:
        return {
            "remote_queue": self.remote_queue,
            "remote_qmgr": self.remote_qmgr,
            "descriptor": self.descriptor,
        }

    def fill(self, data: bytes, offset: int, order: str, ccsid: int, native: bool) -> None:
        version, values = LAYOUT.read(data, offset, order, ccsid, native)
        self.version = version
        self.remote_queue = str(values["remote_queue"])
        self.remote_qmgr = str(values["remote_qmgr"])
        self.descriptor = Descriptor.unpack(data, offset + _DESCRIPTOR_AT, order, ccsid)
        if self.descriptor.version != 1:
            raise LAYOUT.error(f"the descriptor in it has version {self.descriptor.version}")

    def pack(self, order: str = LITTLE, ccsid: int = UTF8, native: bool = False) -> bytes:
        """The bytes of the header; of the descriptor, what version 1 holds."""
        packed = self.descriptor
        if packed.version != 1:
            packed = packed.copy()
            packed.version = 1
        values: dict[str, Value] = {
            "remote_queue": self.remote_queue,
            "remote_qmgr": self.remote_qmgr,
            "descriptor": packed.pack(order, ccsid),
        }
        return LAYOUT.write(self.version, values, order, ccsid, native)
