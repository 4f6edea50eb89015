"""Where the objects of a queue manager lie on disk, as dspmqfls tells it.

A local queue has a folder for its messages; the definitions of all objects are in one file, the
catalog.
"""

from __future__ import annotations

from typing import NamedTuple

from ternmq.base.object_types import LOCAL, OBJECT_TYPES, QMGR
from ternmq.store.catalog import Catalog
from ternmq.store.catalog_file import CATALOG_PATH


class ObjectFile(NamedTuple):
    """One object and its place under the queue manager's folder."""

    type: int  # the bit of base.object_types
    noun: str
    name: str
    path: str


def object_files(catalog: Catalog) -> list[ObjectFile]:
    """Every object, queues first, by name."""
    nouns = {row.bit: row.noun for row in OBJECT_TYPES}
    found = [ObjectFile(QMGR, "QMGR", str(catalog.facts["name"]), CATALOG_PATH)]
    for definition in catalog.all_definitions():
        kind = definition.object_type
        path = definition.folder if kind == LOCAL else CATALOG_PATH
        found.append(ObjectFile(kind, nouns.get(kind, ""), definition.name, path))
    return found
