"""The index of groups against a recount of all messages: those in memory by their descriptors,
those in swept segments by their images on the disk. Knows nothing of how the index counts.
"""

from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.ports.disk import Disk
from ternmq.store.group_index import BEGUN, FIRST_MESSAGE, WHOLE, Group, GroupIndex
from ternmq.store.queue import Queue
from ternmq.store.segment import ALIVE
from ternmq.store.segment_file import SegmentFile
from ternmq.values.entry import Entry, packed_descriptor
from ternmq.values.entry_image import entry_from_image

IN_GROUP, LAST_IN_GROUP, SEGMENT, LAST_SEGMENT = 8, 16, 2, 4

# (MsgSeqNumber, Offset, arrival, MsgFlags, length, expiry, lane, where)
Row = tuple[int, int, int, int, int, int, int, object]
_images: dict[tuple[int, str], tuple[Disk, list[Entry]]] = {}


def row_of(entry: Entry, lane: int, where: object) -> tuple[bytes, Row] | None:
    md = Descriptor.unpack(packed_descriptor(entry))
    if md.group_id == bytes(24):
        return None
    offset = md.offset if md.msg_flags & (SEGMENT | LAST_SEGMENT) else 0
    row = (md.msg_seq_number, offset, int(entry.sequence), md.msg_flags)
    return md.group_id, (*row, int(entry.length), int(entry.expiry_at), lane, where)


def swept_entries(disk: Disk, path: str) -> list[Entry]:
    """The messages of a file; it never changes, so it is read once."""
    key = (id(disk), path)
    if key not in _images:
        if len(_images) > 200:
            _images.clear()
        file = SegmentFile(disk, path)
        images = [entry_from_image(image) for image in file.read_all(file.load_index())]
        file.close()
        _images[key] = (disk, images)  # with the disk, or another one could get its id
    return _images[key][1]


def recount(queue: Queue, disk: Disk) -> dict[bytes, list[Row]]:
    """All messages of groups that a get may take."""
    found: dict[bytes, list[Row]] = {}
    rows: list[tuple[bytes, Row] | None] = []
    for number, lane in enumerate(queue.lanes):
        for chain in (lane.front, lane.strays, lane.rear):
            entry = chain.head
            while entry is not None:
                rows.append(row_of(entry, number, entry))
                entry = entry.next
        for segment in lane.swept:
            entries = swept_entries(disk, segment.path)
            rows += [
                row_of(entry, number, segment.location(ordinal))
                for ordinal, entry in enumerate(entries)
                if segment.states[ordinal] == ALIVE
            ]
    for one in rows:
        if one is not None:
            found.setdefault(one[0], []).append(one[1])
    for group in found.values():
        group.sort(key=lambda row: row[:3])
    return found


def rows_in(group: Group) -> list[Row]:
    """What the index has."""
    return [
        (
            int(member.number),
            int(member.offset),
            int(member.sequence),
            int(member.flags),
            int(member.length),
            int(member.expiry_at),
            int(member.lane),
            int(member.location) if member.entry is None else member.entry,
        )
        for run in group.runs
        for member in run.members
    ]


def is_message_there(rows: list[Row], number: int) -> bool:
    """Whether all of a logical message is there, by walking it."""
    parts = {row[1]: row for row in reversed(rows) if row[0] == number}
    if 0 not in parts:
        return False
    if not parts[0][3] & (SEGMENT | LAST_SEGMENT):
        return True
    order = [parts[offset] for offset in sorted(parts)]
    ends = [row[1] + row[4] for row in order]
    return ends[:-1] == sorted(parts)[1:] and order[-1][3] & LAST_SEGMENT != 0


def is_group_there(rows: list[Row]) -> bool:
    highest = max(row[:2] for row in rows)
    top = next(row for row in rows if row[:2] == highest)
    if top[3] & (IN_GROUP | LAST_IN_GROUP) and not top[3] & LAST_IN_GROUP:
        return False
    return all(is_message_there(rows, number) for number in range(1, top[0] + 1))


def audit_groups(queue: Queue, disk: Disk) -> None:
    """The index says what a recount says."""
    expected = recount(queue, disk)
    index = queue.groups
    if index is None:
        assert not expected
        return
    assert set(index.groups) == set(expected)
    assert {int(group.serial) for group in index.groups.values()} == set(index.by_serial)
    for group_id, rows in expected.items():
        group = index.groups[group_id]
        assert rows_in(group) == rows
        assert group.count == len(rows)
        for number in {row[0] for row in rows}:
            assert group.has_message(number) == is_message_there(rows, number), number
        assert group.complete == sum(is_message_there(rows, n) for n in {row[0] for row in rows})
        assert group.is_whole == is_group_there(rows)
        expiries = [row[5] for row in rows if row[5]]
        assert not expiries or 0 < group.min_expiry <= min(expiries)
    for segment in queue.segments.values():
        assert segment.swept or not segment.members
        assert segment.grouped == sum(1 for one in segment.members if one is not None)
    assert index.count == sum(len(rows) for rows in expected.values())
    audit_levels(index, expected)


def audit_levels(index: GroupIndex, expected: dict[bytes, list[Row]]) -> None:
    """The lists of groups have those that they should, in the order of their first messages."""
    firsts = {
        group_id: (-first[6], first[2])
        for group_id, rows in expected.items()
        if (first := rows[0])[:2] == (1, 0)
    }
    order = sorted(firsts, key=firsts.__getitem__)
    begun = [one for one in order if is_message_there(expected[one], 1)]
    whole = [one for one in order if is_group_there(expected[one])]
    for level, groups in ((BEGUN, order), (FIRST_MESSAGE, begun), (WHOLE, whole)):
        assert [group.group_id for group in index.by_level[level].groups()] == groups, level
