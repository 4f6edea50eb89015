"""Messages of a stream as an application reads them: columns at once, messages when asked for.

A `StreamBlock` is a view of some messages of one block (docs/internals/format/stream_block.md),
whose bytes it shares: heads as one array, bodies as one buffer with offsets. So it becomes columns
of NumPy or Arrow without an object a message:

    dtype = numpy.dtype(HEAD_COLUMNS)
    heads = numpy.frombuffer(block.heads, dtype)
    bodies = pyarrow.Array.from_buffers(pyarrow.binary(), len(block), [None, offsets, bodies])

with `offsets = pyarrow.py_buffer(block.offsets)` and `bodies = pyarrow.py_buffer(block.bodies)`.
"""

from __future__ import annotations

import struct
import time
from collections.abc import Iterator
from typing import Final, final, overload

from ternmq.base.errors import IntegrityError, other_format
from ternmq.codec.mqi.layout import CHARS, I32
from ternmq.codec.mqi.mqmd import LAYOUT as MQMD_LAYOUT
from ternmq.codec.stream_block_format import (
    BLOCK_HEADER_BYTES,
    BLOCK_VERSION,
    HEAD_BYTES,
    areas_begin,
    block_bytes_of,
    bodies_begin,
    check_block,
)
from ternmq.values.entry_image import entry_from_image
from ternmq.values.message import Message

_NUMBERS: Final = struct.Struct("<8xQ400x")
_NUMBER: Final = struct.Struct("<Q")
_HEADER: Final = struct.Struct("<8sIIQQQQqIIQQ12x")
_MAGIC: Final = b"TERNSTRM"


def _columns() -> list[tuple[str, str]]:
    """What stands in a head, as NumPy names types: first what the queue manager knows of the
    message, then its MQMD."""
    found = [
        ("serial", "<u8"),
        ("number", "<u8"),
        ("put_ns", "<i8"),
        ("expiry_at_ns", "<i8"),
        ("data_length", "<u4"),
        ("own_priority", "u1"),
        ("own_flags", "u1"),
        ("own_backout_count", "<u2"),
        ("zero", "<u8"),
        ("properties_length", "<u4"),
        ("struc_id", "S4"),
        ("version", "<i4"),
    ]
    for field in MQMD_LAYOUT.fields:
        if field.kind == I32:
            found.append((field.name, "<i4"))
        else:
            kind = "S" if field.kind == CHARS else "V"
            found.append((field.name, f"{kind}{field.size}"))
    return found


HEAD_COLUMNS: Final[list[tuple[str, str]]] = _columns()


@final
class StreamBlock:
    """Some messages of a stream, by rising number."""

    __slots__ = (
        "_area_bytes",
        "_count",
        "_got_ns",
        "_numbers",
        "_queue_id",
        "_raw",
        "_start",
        "_stop",
        "incarnation",
    )

    def __init__(self, raw: bytes | memoryview, start: int, stop: int) -> None:
        if len(raw) < BLOCK_HEADER_BYTES:
            raise IntegrityError(f"a stream block of {len(raw)} bytes")
        header = _HEADER.unpack_from(raw)
        if header[0] != _MAGIC:
            raise IntegrityError("no stream block begins here")
        if header[1] != BLOCK_VERSION or header[9] != HEAD_BYTES:
            raise IntegrityError(other_format("a stream block", header[1], BLOCK_VERSION))
        count, size, area_bytes = header[8], header[10], header[11]
        least = block_bytes_of(count, area_bytes, 0)
        if not 0 <= start < stop <= count or not least <= len(raw) == size:
            raise IntegrityError(
                f"messages {start} to {stop} of a stream block of {count}, "
                f"{len(raw)} of {size} bytes"
            )
        self.incarnation: int = header[4]  # of the stream
        self._raw = memoryview(raw)
        self._queue_id: int = header[3]
        self._count: int = count
        self._area_bytes: int = area_bytes
        self._start = start
        self._stop = stop
        self._numbers: list[int] | None = None
        self._got_ns = 0

    def __len__(self) -> int:
        return self._stop - self._start

    @property
    def first(self) -> int:
        """The number of the first message."""
        return self._number_at(self._start)

    @property
    def last(self) -> int:
        """The number of the last message."""
        return self._number_at(self._stop - 1)

    def _number_at(self, place: int) -> int:
        at = BLOCK_HEADER_BYTES + place * HEAD_BYTES + 8
        number: int = _NUMBER.unpack_from(self._raw, at)[0]
        return number

    # ---- columns

    @property
    def numbers(self) -> list[int]:
        """The stream numbers; they rise, and need not follow one another."""
        found = self._numbers
        if found is None:
            found = [row[0] for row in _NUMBERS.iter_unpack(self.heads)]
            self._numbers = found
        return found

    @property
    def heads(self) -> memoryview:
        """Heads, one after the other, of 416 bytes each: `HEAD_COLUMNS` says what is where."""
        start = BLOCK_HEADER_BYTES + self._start * HEAD_BYTES
        return self._raw[start : start + len(self) * HEAD_BYTES]

    @property
    def offsets(self) -> memoryview:
        """One more than there are messages, unsigned numbers of 32 bits: the data of message i is
        `bodies[offsets[i]:offsets[i + 1]]`."""
        start = BLOCK_HEADER_BYTES + self._count * HEAD_BYTES + self._start * 4
        return self._raw[start : start + (len(self) + 1) * 4].cast("I")

    @property
    def bodies(self) -> memoryview:
        """All application data of the block."""
        return self._raw[bodies_begin(self._count, self._area_bytes) : -4]

    @property
    def has_properties(self) -> bool:
        """Whether a message of the block has properties."""
        return self._area_bytes != 0

    @property
    def area_offsets(self) -> memoryview:
        """As `offsets`, for the property areas; empty if the block has none."""
        if not self._area_bytes:
            return self._raw[:0].cast("I")
        start = BLOCK_HEADER_BYTES + self._count * HEAD_BYTES + (self._count + 1 + self._start) * 4
        return self._raw[start : start + (len(self) + 1) * 4].cast("I")

    @property
    def areas(self) -> memoryview:
        """All property areas of the block."""
        start = areas_begin(self._count)
        return self._raw[start : start + self._area_bytes]

    # ---- messages

    def data(self, index: int) -> bytes:
        """The application data of one message."""
        place = self._place(index)
        offsets = self.offsets
        return bytes(self.bodies[offsets[place] : offsets[place + 1]])

    def area(self, index: int) -> bytes:
        """The property area of one message; empty if it has no properties."""
        place = self._place(index)
        if not self._area_bytes:
            return b""
        offsets = self.area_offsets
        return bytes(self.areas[offsets[place] : offsets[place + 1]])

    def message(self, index: int) -> Message:
        """One message."""
        place = self._place(index)
        data = self.data(place)
        head = self.heads[place * HEAD_BYTES : (place + 1) * HEAD_BYTES]
        entry = entry_from_image(b"".join((head, self.area(place), data)), 0)
        entry.queue_id = self._queue_id
        return Message(entry, data, False, self._time_ns())

    def _time_ns(self) -> int:
        """What is left of an expiry is counted from the first look."""
        if not self._got_ns:
            self._got_ns = time.time_ns()
        return self._got_ns

    def _place(self, index: int) -> int:
        count = len(self)
        if not -count <= index < count:
            raise IndexError(f"message {index} of {count}")
        return index % count

    @overload
    def __getitem__(self, index: int) -> Message: ...

    @overload
    def __getitem__(self, index: slice) -> list[Message]: ...

    def __getitem__(self, index: int | slice) -> Message | list[Message]:
        if isinstance(index, slice):
            return [self.message(at) for at in range(*index.indices(len(self)))]
        return self.message(index)

    def __iter__(self) -> Iterator[Message]:
        return (self.message(at) for at in range(len(self)))

    # ---- the block

    def check(self) -> None:
        """IntegrityError unless the block has its checksum: sockets do not change bytes, so this is
        for blocks that were kept elsewhere."""
        check_block(self.raw)

    @property
    def raw(self) -> bytes:
        """The whole block, also what was not asked for of it; `places` says what was."""
        whole = self._raw.obj
        if isinstance(whole, bytes) and len(whole) == len(self._raw):
            return whole  # no copy
        return bytes(self._raw)

    @property
    def places(self) -> tuple[int, int]:
        """From which to before which message of the block the answer goes."""
        return self._start, self._stop

    def __repr__(self) -> str:
        return f"<StreamBlock {len(self)} messages, numbers {self.first} to {self.last}>"


@final
class StreamRange:
    """What a read found: blocks of messages, and where to go on."""

    __slots__ = ("blocks", "earliest", "end", "incarnation", "lost_to", "next")

    def __init__(
        self,
        blocks: list[StreamBlock],
        incarnation: int,
        next: int,
        lost_to: int,
        earliest: int,
        end: int,
    ) -> None:
        self.blocks = blocks
        self.incarnation = incarnation  # of the stream that was read
        self.next = next  # the number to read from next
        self.lost_to = lost_to  # 0; else numbers before this one were asked for and are gone
        self.earliest = earliest  # the lowest number that the stream has
        self.end = end  # the number that the next message will have, or a lower one

    def __len__(self) -> int:
        return sum(len(block) for block in self.blocks)

    def __iter__(self) -> Iterator[Message]:
        return (message for block in self.blocks for message in block)

    @property
    def numbers(self) -> list[int]:
        """The stream numbers of all its messages."""
        return [number for block in self.blocks for number in block.numbers]

    def __repr__(self) -> str:
        return f"<StreamRange {len(self)} messages, next {self.next}>"
