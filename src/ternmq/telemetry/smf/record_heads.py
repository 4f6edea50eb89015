"""Headers of SMF records from templates: the codec makes one of each kind, and what differs from
record to record is written over it.

There is a record for each task that ends, so this is done often; the codec packs field by field, by
its tables, which takes some twenty times as long.
"""

from __future__ import annotations

import struct
from typing import Final, final

from ternmq.codec.smf.clock_values import UNITS_US, smf_stamp, tod_of_ns
from ternmq.codec.smf.field import LONG, STUB
from ternmq.codec.smf.record import KINDS, LEVEL, Stamp, header_values, pack_product, pack_smf
from ternmq.codec.smf.section_layout import LAYOUTS

_INITIATOR: Final = 0xE7  # component of channel-initiator records: they count nothing, and
# interval lengths are in units of the clock
_SMF: Final = LAYOUTS["SMF"].by_name
_QWHS: Final = LAYOUTS["QWHS"].by_name
_LENGTH_AT: Final = _SMF["smflen"].offset
_TIME_AT: Final = _SMF["smftme"].offset  # and the date behind it
_TRIPLETS_AT: Final = _QWHS["qwhsnsda"].offset
_CLOCK_AT: Final = _QWHS["qwhsstck"].offset
_SEQUENCES_AT: Final = _QWHS["qwhsiseq"].offset  # of the kind, then over all
_INTERVAL_AT: Final = _QWHS["qwhstime"].offset  # start, then length
_MASK: Final = 0xFFFFFFFF


@final
class RecordHead:
    """What is the same in all records of a kind, of one queue manager."""

    def __init__(self, record_type: int, subtype: int, stamp: Stamp) -> None:
        self.row = KINDS[record_type, subtype]
        values = header_values(record_type, subtype, stamp)
        self._smf = pack_smf(self.row, values, 0, LEVEL)
        self._product = pack_product(self.row, self.row.triplets, values, LEVEL)
        self._is_initiator = self.row.component == _INITIATOR

    def smf(self, stamp: Stamp, length: int) -> bytes:
        """The SMF header of a record."""
        made = bytearray(self._smf)
        day, hundredths = smf_stamp(stamp.written_ns, stamp.zone_s)
        struct.pack_into(">H", made, _LENGTH_AT, length)
        struct.pack_into(">I4s", made, _TIME_AT, hundredths, day)
        return bytes(made)

    def product(self, stamp: Stamp, triplets: int, correlation: bytes = b"") -> bytes:
        """The product section of a record, with the correlation header if there is something to
        say in it."""
        if self.row.product == STUB:
            return self._product
        made = bytearray(self._product)
        made[_TRIPLETS_AT] = triplets
        struct.pack_into(">Q", made, _CLOCK_AT, tod_of_ns(stamp.written_ns))
        if not self._is_initiator:
            numbers = (stamp.kind_sequence & _MASK, stamp.sequence & _MASK)
            struct.pack_into(">II", made, _SEQUENCES_AT, *numbers)
        if self.row.product == LONG:
            start = tod_of_ns(stamp.start_ns + stamp.zone_s * 1_000_000_000)
            units = UNITS_US if self._is_initiator else 1
            struct.pack_into(">QQ", made, _INTERVAL_AT, start, stamp.duration_us * units)
        if correlation:
            made[len(made) - len(correlation) :] = correlation
        return bytes(made)
