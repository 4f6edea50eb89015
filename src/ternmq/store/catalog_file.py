"""The catalog file: every definition as of one LSN, and what changed since, added by checkpoints.

`catalog`, written whole now and then:

    8 bytes  "TERNCAT1"
    u32      CRC-32C of all that follows
    u32      length of the JSON
    JSON     {"lsn", "next_id", "qmgr": {...}, "objects": [...], "facts": {name, identity, ...},
              of attributes those that differ from the schema's defaults,
              "given_up": {id: what was found} of damaged queues whose part of the log is gone,
              "ledger": [...] rows of batches that were committed}

`catalog.changes`, batches, each on a multiple of 512 (a sector), one a checkpoint:

    8 bytes  "TERNCATC"
    u32      CRC-32C of all that follows to the end of the JSON, begun with that of the batch
             before; for the first one with that of `catalog`
    u32      length of the JSON
    JSON     as above, but of objects and rows only those that are new or changed, and
             "gone": [ids] of deleted objects, "dropped": [owners] of deleted rows
    zeros to a multiple of 512

Validity: magic, length and checksum hold. Batches of another `catalog` and those behind a batch
that does not count have the wrong checksum. Whether any is missing at the end is shown by the last
CHECKPOINT record, which has the LSN of the last. Ordering: `catalog` is written as catalog.new,
forced, renamed to catalog, the folder forced; so there is always one whole file. A batch is forced
before the CHECKPOINT record. One that no record names may be in the system's memory alone: the
next checkpoint writes `catalog` whole (`txn.catalog_recovery`), and so it does when a batch failed
and when the changes are longer than the file. Changes after the last LSN are in the log.
"""

from __future__ import annotations

import json
import struct
from typing import Any, Final, final

from ternmq.base.attributes import QMGR, defaults_of
from ternmq.base.checksum import crc32c
from ternmq.base.errors import IntegrityError
from ternmq.ports.disk import Disk, write_all
from ternmq.store.catalog import Catalog, CatalogPosition, definition_from_json, differences
from ternmq.store.ledger import row_from_json

CATALOG_PATH: Final = "catalog"
CHANGES_PATH: Final = "catalog.changes"
REWRITE_FLOOR_BYTES: Final = 1 << 16  # fewer changes are not worth a new file
_SECTOR_BYTES: Final = 512
_MAGIC: Final = b"TERNCAT1"
_CHANGES_MAGIC: Final = b"TERNCATC"
_HEAD: Final = struct.Struct("<8sII")


@final
class CatalogSave:
    """What a checkpoint writes: taken in a step, in time that depends on what changed unless the
    file is due to be written whole; then packed and written outside."""

    def __init__(self, catalog: Catalog, lsn: int) -> None:
        position = catalog.position
        self.lsn = lsn
        self.is_whole = catalog.rewrite_file or position.offset > max(
            REWRITE_FLOOR_BYTES, position.base_bytes
        )
        self.position = position  # after `run`: the one behind what was written
        self._facts = _head_of(catalog, lsn)
        if self.is_whole:
            self._facts["ledger"] = _ledger_of(catalog)
            self._objects = _objects_of(catalog)
        else:
            owners = sorted(catalog.owners)
            rows = catalog.ledger
            self._facts["gone"] = catalog.gone
            self._facts["ledger"] = [rows[one].to_json() for one in owners if one in rows]
            self._facts["dropped"] = [one for one in owners if one not in rows]
            self._objects = [one.packed() for one in catalog.altered.values()]
        catalog.all_saved()

    def run(self, disk: Disk) -> None:
        """Write and force it."""
        if self.is_whole:
            content = _framed(_MAGIC, 0, self._facts, self._objects)
            save_catalog(disk, content)
            self.position = CatalogPosition(len(content), _crc_of(content), 0)
            return
        before = self.position
        batch = _framed(_CHANGES_MAGIC, before.crc, self._facts, self._objects)
        crc = _crc_of(batch)
        batch += bytes(-len(batch) % _SECTOR_BYTES)
        # What is there at the first batch belongs to a `catalog` before this one.
        is_first = before.offset == 0
        file = disk.create(CHANGES_PATH) if is_first else disk.open(CHANGES_PATH)
        try:
            write_all(file, before.offset, [batch])
            file.datasync()
        finally:
            file.close()
        if is_first:
            disk.sync_dir("")
        self.position = CatalogPosition(before.base_bytes, crc, before.offset + len(batch))


def catalog_bytes(catalog: Catalog, lsn: int) -> bytes:
    """The whole file's content now."""
    facts = _head_of(catalog, lsn)
    facts["ledger"] = _ledger_of(catalog)
    return _framed(_MAGIC, 0, facts, _objects_of(catalog))


def _head_of(catalog: Catalog, lsn: int) -> dict[str, object]:
    return {
        "lsn": lsn,
        "next_id": catalog.next_id,
        "qmgr": differences(QMGR, catalog.qmgr),
        "facts": dict(catalog.facts),
        "given_up": {str(number): text for number, text in catalog.given_up.items()},
    }


def _ledger_of(catalog: Catalog) -> list[dict[str, object]]:
    return [catalog.ledger[owner].to_json() for owner in sorted(catalog.ledger)]


def _objects_of(catalog: Catalog) -> list[str]:
    return [one.packed() for one in catalog.all_definitions() if not one.temporary]


def _framed(magic: bytes, crc: int, facts: dict[str, object], objects: list[str]) -> bytes:
    head = json.dumps(facts, separators=(",", ":"))
    text = f'{head[:-1]},"objects":[{",".join(objects)}]}}'.encode()
    rest = struct.pack("<I", len(text)) + text
    return magic + struct.pack("<I", crc32c(rest, crc)) + rest


def _crc_of(framed: bytes) -> int:
    crc: int = _HEAD.unpack_from(framed)[1]
    return crc


def save_catalog(disk: Disk, content: bytes) -> None:
    """Put the file in place of the one before."""
    fresh = CATALOG_PATH + ".new"
    file = disk.create(fresh)
    try:
        write_all(file, 0, [content])
        # ORDER: content before name.
        file.datasync()
    finally:
        file.close()
    disk.rename(fresh, CATALOG_PATH)
    disk.sync_dir("")


def load_catalog(disk: Disk) -> Catalog:
    """Read the file and the changes to it; IntegrityError if it cannot be believed."""
    try:
        content = _read(disk, CATALOG_PATH)
    except FileNotFoundError as error:
        raise IntegrityError(f"{CATALOG_PATH} is missing") from error
    catalog = unpack_catalog(content)
    catalog.position = CatalogPosition(len(content), _crc_of(content), 0)
    if disk.exists(CHANGES_PATH):
        _take_changes(catalog, _read(disk, CHANGES_PATH))
    catalog.all_saved()
    return catalog


def _read(disk: Disk, path: str) -> bytes:
    file = disk.open(path)
    try:
        return file.pread(0, file.size())
    finally:
        file.close()


def _take_changes(catalog: Catalog, content: bytes) -> None:
    """All batches that count."""
    names: dict[int, tuple[int, str]] = {}
    for one in catalog.all_definitions():
        names[one.object_id] = (one.object_type, one.name)
    position = catalog.position
    at = 0
    while len(content) - at >= _HEAD.size and content[at : at + 8] == _CHANGES_MAGIC:
        _, crc, length = _HEAD.unpack_from(content, at)
        end = at + _HEAD.size + length
        if end > len(content) or crc32c(content[at + 12 : end], position.crc) != crc:
            break
        _take_batch(catalog, json.loads(content[at + _HEAD.size : end]), names)
        at = end + -end % _SECTOR_BYTES
        position = CatalogPosition(position.base_bytes, crc, at)
    catalog.position = position


def _take_batch(catalog: Catalog, facts: dict[str, Any], names: dict[int, tuple[int, str]]) -> None:
    for number in facts["gone"]:
        place = names.pop(number, None)  # none if it came and went since the batch before
        old = None if place is None else catalog.find(place[0], place[1])
        if old is not None and old.object_id == number:
            catalog.remove(old)
    for value in facts["objects"]:
        definition = definition_from_json(value)
        catalog.add(definition)
        names[definition.object_id] = (definition.object_type, definition.name)
    for owner in facts["dropped"]:
        catalog.drop_ledger(owner)
    _take_head(catalog, facts)


def _take_head(catalog: Catalog, facts: dict[str, Any]) -> None:
    """What the file and every batch have."""
    catalog.qmgr.update(defaults_of(QMGR))
    catalog.qmgr.update(facts["qmgr"])
    catalog.facts.update(facts["facts"])
    catalog.damaged.clear()
    catalog.given_up.clear()
    for number, text in facts["given_up"].items():
        catalog.damaged[int(number)] = catalog.given_up[int(number)] = text
    for row in facts["ledger"]:
        catalog.set_ledger(row_from_json(row))
    catalog.lsn = facts["lsn"]
    catalog.next_id = facts["next_id"]


def unpack_catalog(content: bytes) -> Catalog:
    """The catalog that a file's content describes; IntegrityError if it cannot be believed."""
    if len(content) < _HEAD.size or content[:8] != _MAGIC:
        raise IntegrityError(f"{CATALOG_PATH} does not begin as a catalog")
    _, crc, length = _HEAD.unpack_from(content)
    if length != len(content) - _HEAD.size or crc32c(content[12:]) != crc:
        raise IntegrityError(f"{CATALOG_PATH} fails its checksum")
    facts = json.loads(content[_HEAD.size :])
    catalog = Catalog()
    for value in facts["objects"]:
        catalog.add(definition_from_json(value))
    _take_head(catalog, facts)
    catalog.all_saved()
    return catalog
