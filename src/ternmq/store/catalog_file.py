"""The catalog file: every definition as of one LSN, written whole at a checkpoint when something
changed.

    8 bytes  "TERNCAT1"
    u32      CRC-32C of all that follows
    u32      length of the JSON
    JSON     {"lsn", "next_id", "qmgr": {...}, "objects": [...], "facts": {name, identity, ...},
              of attributes those that differ from the schema's defaults,
              "given_up": {id: what was found} of damaged queues whose part of the log is gone,
              "ledger": [...] rows of batches that were committed}

Validity: magic, length and checksum hold. Ordering: written as catalog.new, forced, renamed to
catalog, the folder forced; so there is always one whole file. Changes after its LSN are in the log.
"""

from __future__ import annotations

import json
import struct
from typing import Final

from ternmq.base.attributes import QMGR, defaults_of
from ternmq.base.checksum import crc32c
from ternmq.base.errors import IntegrityError
from ternmq.ports.disk import Disk, write_all
from ternmq.store.catalog import Catalog, definition_from_json, differences
from ternmq.store.ledger import row_from_json

CATALOG_PATH: Final = "catalog"
_MAGIC: Final = b"TERNCAT1"
_HEAD: Final = struct.Struct("<8sII")


def catalog_bytes(catalog: Catalog, lsn: int) -> bytes:
    """The file's content now."""
    facts = {
        "lsn": lsn,
        "next_id": catalog.next_id,
        "qmgr": differences(QMGR, catalog.qmgr),
        "facts": dict(catalog.facts),
        "given_up": {str(number): text for number, text in catalog.given_up.items()},
        "ledger": [catalog.ledger[owner].to_json() for owner in sorted(catalog.ledger)],
    }
    objects = ",".join([one.packed() for one in catalog.all_definitions() if not one.temporary])
    head = json.dumps(facts, separators=(",", ":"))
    text = f'{head[:-1]},"objects":[{objects}]}}'.encode()
    rest = struct.pack("<I", len(text)) + text
    return _MAGIC + struct.pack("<I", crc32c(rest)) + rest


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
    """Read the file; IntegrityError if it cannot be believed."""
    try:
        file = disk.open(CATALOG_PATH)
    except FileNotFoundError as error:
        raise IntegrityError(f"{CATALOG_PATH} is missing") from error
    try:
        content = file.pread(0, file.size())
    finally:
        file.close()
    return unpack_catalog(content)


def unpack_catalog(content: bytes) -> Catalog:
    """The catalog that a file's content tells; IntegrityError if it cannot be believed."""
    if len(content) < _HEAD.size or content[:8] != _MAGIC:
        raise IntegrityError(f"{CATALOG_PATH} does not begin as a catalog")
    _, crc, length = _HEAD.unpack_from(content)
    if length != len(content) - _HEAD.size or crc32c(content[12:]) != crc:
        raise IntegrityError(f"{CATALOG_PATH} fails its checksum")
    facts = json.loads(content[_HEAD.size :])
    catalog = Catalog()
    for value in facts["objects"]:
        catalog.add(definition_from_json(value))
    catalog.qmgr.update(defaults_of(QMGR))
    catalog.qmgr.update(facts["qmgr"])
    catalog.facts.update(facts["facts"])
    for number, text in facts.get("given_up", {}).items():
        catalog.damaged[int(number)] = catalog.given_up[int(number)] = text
    for row in facts.get("ledger", []):
        catalog.set_ledger(row_from_json(row))
    catalog.next_id = facts["next_id"]
    catalog.lsn = facts["lsn"]
    catalog.changed = False
    return catalog
