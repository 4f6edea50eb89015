"""SMF records 115 and 116: header, triplets, sections; `parse` reads one, `build` writes one.

    at 0     SMF header, 28 bytes: length and segment (RDW), flag, type, time, date, system,
             subsystem, subtype, release
    at 28    triplets of 8 bytes: offset of the first copy of a section from the RDW (u4), length of
             a copy (u2), number of copies (u2). Triplet 0 is the product section.
    then     the sections in the order of their triplets, without gaps
    last     the product section: QWHS, 52 bytes, or 36 and a QWHC of 92 (116-0, 1, 2); from 10.0 on
             with a QWHX of 16 behind. In 115-5, 6 and 7 it is a stub of 4 bytes, and comes first.

Order: nothing follows the last section, because a file without RDWs has no other sign of where
a record ends. A triplet without copies is zero, but in 115-231 it has offset and length.
Validity: each section is within the record, all together are not longer than it, and eye-catchers
are right. A release that is not known to the tables, or a record that is not valid, is an error;
nothing is read before its presence is known, and nothing is guessed.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from ternmq.codec.smf.clock_values import (
    EXTENDED_RELEASE,
    UNITS_US,
    release_of_level,
    smf_stamp,
    tod_of_ns,
)
from ternmq.codec.smf.field import LONG, SHORT, STUB, RecordRow
from ternmq.codec.smf.section_layout import LAYOUTS, Value, Values, length_at, smf_error
from ternmq.codec.smf.section_table import RECORDS

STATISTICS: Final = 115
ACCOUNTING: Final = 116
LEVEL: Final = 90405  # what this product writes
LEVEL_MIN: Final = 80000
LEVEL_NINE_LAST: Final = 90405  # after which came 10.0
LEVEL_MAX: Final = 100000
EXTENDED_LEVEL: Final = 100000  # from here on the level is in the QWHX
HEADER_BYTES: Final = 28
TRIPLET_BYTES: Final = 8
RECORD_BYTES_MAX: Final = 32_756  # with its RDW; SMF takes no longer ones
STUB_BYTES: Final = 4
QWHS_SHORT_BYTES: Final = 36
QWHX_FLAG: Final = 0x40

KINDS: Final[dict[tuple[int, int], RecordRow]] = {
    (row.record_type, row.subtype): row for row in RECORDS
}
_TRIPLET: Final = struct.Struct(">IHH")
_SMF: Final = LAYOUTS["SMF"]
_QWHS: Final = LAYOUTS["QWHS"]
_QWHC: Final = LAYOUTS["QWHC"]
_QWHX: Final = LAYOUTS["QWHX"]
# Interval lengths of the channel initiator's records are in units of the clock, not microseconds.
_CLOCK_DURATION: Final = frozenset({(115, 231), (116, 10)})


class Stamp(NamedTuple):
    """Which system writes a record, and when: what `header_values` makes a header of."""

    system: str
    queue_manager: str
    written_ns: int  # after 1970, UTC
    zone_s: int = 0  # seconds east of UTC of the local times in a record
    start_ns: int = 0  # of the interval, UTC
    duration_us: int = 0
    sequence: int = 0  # over all records of the queue manager
    kind_sequence: int = 0  # over the records of this kind
    group: str = ""


def build(
    record_type: int,
    subtype: int,
    header: Mapping[str, Value],
    sections: Mapping[str, Sequence[Mapping[str, Value]]],
    *,
    level: int = LEVEL,
) -> bytes:
    """A record with its RDW. `header` has values of the SMF header, QWHS, QWHC and QWHX by their
    names (see `header_values`), `sections` the copies of each section. MQError if a value does not
    fit, a section does not belong there, or the record gets too long."""
    row = KINDS.get((record_type, subtype))
    if row is None:
        raise smf_error(f"there is no record {record_type}-{subtype}")
    known = {name for _, name in row.sections if name}
    for name in sections:
        if name not in known:
            raise smf_error(f"{row.name} has no section {name}")
    copies: list[tuple[int, list[bytes]]] = []  # of each triplet after the first: length, copies
    by_triplet = dict(row.sections)
    count = triplets_written(row, sections)
    for number in range(1, count):
        name = by_triplet.get(number, "")
        # 115-231 shows where absent tasks would be, see "Order".
        is_known = name in sections or (subtype == 231 and name)
        length = length_at(name, level) if is_known else 0
        pack = LAYOUTS[name].pack if name else None
        rows = sections.get(name, ()) if name else ()
        copies.append((length, [pack(values, length) for values in rows] if pack else []))
    return assemble(row, count, header, copies, level)


def triplets_written(row: RecordRow, sections: Mapping[str, Sequence[Mapping[str, Value]]]) -> int:
    """How many triplets: a task without queues has none for them."""
    without_queues = (row.record_type, row.subtype) == (116, 1) and not sections.get("WQ")
    return row.triplets - 1 if without_queues else row.triplets


def assemble(
    row: RecordRow,
    count: int,
    header: Mapping[str, Value],
    copies: Sequence[tuple[int, Sequence[bytes]]],
    level: int,
) -> bytes:
    """Header, triplets and sections in their physical order."""
    product = pack_product(row, count, header, level)
    at = HEADER_BYTES + TRIPLET_BYTES * count
    first = at
    if row.product == STUB:
        at += len(product)
    triplets = bytearray()
    bodies: list[bytes] = []
    for length, parts in copies:
        if parts or (row.subtype == 231 and length):
            triplets += _TRIPLET.pack(at, length, len(parts))
            at += length * len(parts)
            bodies += parts
        else:
            triplets += bytes(TRIPLET_BYTES)
    if row.product == STUB:
        bodies.insert(0, product)
    else:
        bodies.append(product)
        first = at
        at += len(product)
    if at > RECORD_BYTES_MAX:
        raise smf_error(f"{row.name} would have {at} bytes, {RECORD_BYTES_MAX} are allowed")
    smf = pack_smf(row, header, at, level)
    return b"".join((smf, _TRIPLET.pack(first, len(product), 1), triplets, *bodies))


def pack_smf(row: RecordRow, header: Mapping[str, Value], length: int, level: int) -> bytes:
    """The SMF header."""
    release = release_of_level(level) if level < EXTENDED_LEVEL else str(EXTENDED_RELEASE)
    values: Values = {
        "smflen": length,
        "smfflg": 0x5E,
        "smfrty": row.record_type,
        "smfstf": row.subtype,
        "smfrel": release,
    }
    values.update({name: value for name, value in header.items() if name in _SMF.by_name})
    if values["smfrel"] == str(EXTENDED_RELEASE) and level < EXTENDED_LEVEL:
        raise smf_error(f"{row.name}: release {EXTENDED_RELEASE} has its level in QWHX")
    return _SMF.pack(values, HEADER_BYTES)


def pack_product(row: RecordRow, count: int, header: Mapping[str, Value], level: int) -> bytes:
    """QWHS and what follows it, or the stub."""
    extension = b""
    if level >= EXTENDED_LEVEL:
        release: Values = {"qwhxlen": 16, "qwhxrel": release_of_level(level)}
        release.update(part_of(header, "qwhx"))
        extension = _QWHX.pack(release, 16)
    own = part_of(header, "qwhs")
    if row.product == STUB:
        kept: Values = {"qwhslen": 1, "qwhsrmid": own.get("qwhsrmid", 0)}
        if "qwhstyp" in own:
            kept["qwhstyp"] = own["qwhstyp"]
        stub = _QWHS.pack(kept, 52)[:STUB_BYTES]
        return stub + extension
    length = 52 if row.product == LONG else QWHS_SHORT_BYTES
    values: Values = {
        "qwhslen": length,
        "qwhsrmid": row.component,
        "qwhsiid": row.ifcid,
        "qwhsnsda": count,
        "qwhsrn": 0 if row.component == 0xE7 else 0x10,
        "qwhsflag1": QWHX_FLAG if extension else 0,
    }
    values.update(own)
    if row.product == SHORT:
        correlation: Values = {"qwhclen": 92}
        correlation.update(part_of(header, "qwhc"))
        extension = _QWHC.pack(correlation, 92) + extension
    return _QWHS.pack(values, length) + extension


def part_of(header: Mapping[str, Value], prefix: str) -> Values:
    """The values whose names begin so."""
    return {name: value for name, value in header.items() if name.startswith(prefix)}


def header_values(record_type: int, subtype: int, stamp: Stamp) -> Values:
    """The header of a record from what a queue manager knows when it writes one."""
    day, hundredths = smf_stamp(stamp.written_ns, stamp.zone_s)
    row = KINDS[record_type, subtype]
    values: Values = {
        "smftme": hundredths,
        "smfdte": day,
        "smfsid": stamp.system[:4],
        "smfssi": stamp.queue_manager[:4],
    }
    if stamp.group:
        values["qwhxqsg"] = stamp.group[:4]
    if row.product == STUB:
        return values
    values["qwhsssid"] = stamp.queue_manager[:4]
    values["qwhsstck"] = tod_of_ns(stamp.written_ns)
    if row.component != 0xE7:
        values["qwhsiseq"] = stamp.kind_sequence & 0xFFFFFFFF
        values["qwhswseq"] = stamp.sequence & 0xFFFFFFFF
    if row.product == LONG:
        units = UNITS_US if (record_type, subtype) in _CLOCK_DURATION else 1
        values["qwhstime"] = tod_of_ns(stamp.start_ns + stamp.zone_s * 1_000_000_000)
        values["qwhsdurn"] = stamp.duration_us * units
    return values


def capacity(
    record_type: int, subtype: int, section: str, *, level: int = LEVEL, others: int = 0
) -> int:
    """How many copies of a section fit into one record beside `others` bytes of other sections."""
    row = KINDS[record_type, subtype]
    product = len(pack_product(row, row.triplets, {}, level))
    room = RECORD_BYTES_MAX - HEADER_BYTES - TRIPLET_BYTES * row.triplets - product - others
    return room // length_at(section, level)


def correlator(wtas: Mapping[str, Value]) -> bytes:
    """The 16 bytes that link a task to its queues: WQ.correl of the values of a WTAS."""
    packed = LAYOUTS["WTAS"].pack(wtas, length_at("WTAS", LEVEL))
    return packed[8:24]
