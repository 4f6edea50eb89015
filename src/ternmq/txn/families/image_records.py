"""MEDIA_IMAGE records: an object as it was at one LSN, in pieces, while work goes on between them.

An image of a queue is what its state journal would have at the LSN of its first record, and the
segment files that it names. Segments never change, so they can be copied one after the other. What
happened since is in the log behind the *media LSN*: the redo LSN that a checkpoint would have had
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

Validity: an image counts if its END is in the log. Pieces are between BEGIN and END in the order of
the files; each has its checksum as a record. A queue without an image yet is recreated from the
OBJECT record that defined it, which says "made".
"""

from __future__ import annotations

from struct import Struct
from typing import Final, final

from ternmq.base.errors import check
from ternmq.log.record import LogRecord
from ternmq.txn.families.describing import Names, Values
from ternmq.txn.families.packing import pack_json, unpack_json
from ternmq.txn.families.record_kind import FoundImage, RecordKind
from ternmq.txn.redo import Redo

BEGIN: Final = 1
PIECE: Final = 2
END: Final = 3

HEAD: Final = Struct("<B7xQQQQ")
PARTS: Final = {BEGIN: "begin", PIECE: "piece", END: "end"}


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
class MediaImageKind(RecordKind):
    """Some of an image; it counts from its last record on."""

    def redo(self, redo: Redo, record: LogRecord) -> None:
        image = self.image(record) if redo.catalog.keeps_images else None
        if image is not None:
            redo.note_image(image.object_id, image.image_lsn, image.media_lsn, image.ns)

    def image(self, record: LogRecord) -> FoundImage | None:
        part = ImagePart(record)
        if part.part == END:
            facts = part.facts()
            media_lsn, ns = facts["media_lsn"], facts["ns"]
            if isinstance(media_lsn, int) and isinstance(ns, int):
                return FoundImage(int(part.object_id), int(part.image_lsn), media_lsn, ns)
        return None

    def describe(self, record: LogRecord, names: Names, data_bytes: int) -> Values:
        part = ImagePart(record)
        values: Values = {
            "part": PARTS.get(part.part, str(part.part)),
            "object": names.of(part.object_id) if part.object_id else "catalog",
            "image_lsn": part.image_lsn,
        }
        if part.part == PIECE:
            return {**values, "file": part.file, "offset": part.offset, "bytes": len(part.content)}
        if part.part == END:
            values["pieces"] = part.file
        return {**values, "facts": part.facts()}
