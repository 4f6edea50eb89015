"""MEDIA_IMAGE records: an object as it was at one LSN, in pieces, while work goes on between them.

An image of a queue is what its state journal would tell at the LSN of its first record, and the
segment files that it names. Segments never change, so they can be copied one after the other. What
happened since lies in the log behind the *media LSN*: the redo LSN that a checkpoint would have had
in that moment. An image of the catalog is its file.

    offset size  field
         0    1  part: 1 BEGIN, 2 PIECE, 3 END
         1    7  zero
         8    8  object: the id of a queue, 0 is the catalog
        16    8  image: LSN of its BEGIN, 0 in BEGIN itself
        24    8  file of a PIECE: a segment number, 0 is the state (body of a journal batch) or the
                 catalog file; of END: the number of pieces
        32    8  where in the file the piece begins
        40    -  BEGIN: JSON {"definition", "media_lsn", "units": prepared units with their changes
                 to this queue, as in CHECKPOINT}; PIECE: bytes; END: JSON {"media_lsn", "ns"}

Validity: an image counts if its END is in the log. Pieces lie between BEGIN and END in the order of
the files; each has its checksum as a record. A queue without an image yet is made anew from the
OBJECT record that defined it, which says "made".
"""

from __future__ import annotations

from collections.abc import Iterator
from struct import Struct
from typing import Final, final

from ternmq.base.attributes import LOCAL
from ternmq.base.errors import check
from ternmq.log import kinds
from ternmq.log.record import LogRecord
from ternmq.txn.records import pack_json, unpack_json

BEGIN: Final = 1
PIECE: Final = 2
END: Final = 3

HEAD: Final = Struct("<B7xQQQQ")


@final
class ImagePart:
    """One MEDIA_IMAGE record, unpacked."""

    __slots__ = ("content", "file", "image_lsn", "object_id", "offset", "part")

    def __init__(self, record: LogRecord) -> None:
        payload = record.payload
        check(len(payload) >= HEAD.size, f"MEDIA_IMAGE at LSN {record.lsn} is too short")
        self.part, self.object_id, self.image_lsn, self.file, self.offset = HEAD.unpack_from(
            payload
        )
        if self.part == BEGIN:
            self.image_lsn = record.lsn
        self.content = payload[HEAD.size :]

    def facts(self) -> dict[str, object]:
        """The JSON of BEGIN or END."""
        return unpack_json(self.content)


def pack_begin(object_id: int, facts: dict[str, object]) -> list[bytes]:
    """The first record of an image."""
    return [HEAD.pack(BEGIN, object_id, 0, 0, 0), pack_json(facts)]


def pack_piece(
    object_id: int, image_lsn: int, file: int, offset: int, content: bytes
) -> list[bytes]:
    """Some of a file."""
    return [HEAD.pack(PIECE, object_id, image_lsn, file, offset), content]


def pack_end(object_id: int, image_lsn: int, pieces: int, media_lsn: int, ns: int) -> list[bytes]:
    """The last record: from here on the image counts."""
    facts: dict[str, object] = {"media_lsn": media_lsn, "ns": ns}
    return [HEAD.pack(END, object_id, image_lsn, pieces, 0), pack_json(facts)]


@final
class FoundImage:
    """Where the last image of an object is."""

    __slots__ = ("image_lsn", "media_lsn", "ns")

    def __init__(self, image_lsn: int, media_lsn: int, ns: int) -> None:
        self.image_lsn = image_lsn
        self.media_lsn = media_lsn
        self.ns = ns


def image_told(record: LogRecord) -> tuple[int, FoundImage] | None:
    """The object and image that a record makes count: an END, or the OBJECT that defined a
    queue."""
    if record.kind == kinds.MEDIA_IMAGE:
        part = ImagePart(record)
        if part.part == END:
            facts = part.facts()
            media_lsn, ns = facts["media_lsn"], facts["ns"]
            if isinstance(media_lsn, int) and isinstance(ns, int):
                return int(part.object_id), FoundImage(int(part.image_lsn), media_lsn, ns)
    elif record.kind == kinds.OBJECT:
        facts = unpack_json(record.payload)
        number, ns = facts.get("id"), facts.get("created_ns")
        is_made = facts.get("made") and facts.get("type") == LOCAL
        if is_made and isinstance(number, int) and isinstance(ns, int):
            return number, FoundImage(record.lsn, record.lsn, ns)
    return None


def find_images(records: Iterator[LogRecord]) -> dict[int, FoundImage]:
    """The last image of each object in some of the log: for when nothing else tells where they
    are."""
    found: dict[int, FoundImage] = {}
    for record in records:
        told = image_told(record)
        if told is not None:
            found[told[0]] = told[1]
    return found
