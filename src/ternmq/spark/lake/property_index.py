"""The index of properties in the lake: column property_index, by which a search opens few files.

    count        how many properties the message has; null in files from before there was an index
    s00 ... s31  slots: hashes of name and value, in the slot that the name stands for; null where
                 no property stands for it, 0 where several do

Parquet keeps bounds, dictionaries and Bloom filters of plain columns and of fields of a struct, not
of elements of a map. A property is in the slot CRC-32(name) mod 32 as XXH64(name, value), so one
comparison with one field finds the blocks of rows that may have it; the map then decides. Names
that share a slot on one message are found all the same, but leave no block out.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from ternmq.spark.frames.functions import f

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


INDEX: Final = "property_index"
COUNT: Final = "count"
SLOTS: Final = 32
SEVERAL: Final = 0
_NAMES: Final = tuple(f"s{slot:02}" for slot in range(SLOTS))
DDL: Final = f"struct<{COUNT}:int,{','.join(f'{name}:bigint' for name in _NAMES)}>"
WRITE_OPTIONS: Final[Mapping[str, str]] = {
    f"parquet.bloom.filter.enabled#{INDEX}.{name}": "true" for name in _NAMES
}
_SLOTS: Final = "_property_slots"
_HASHES: Final = "_property_hashes"
_MARKED: Final = "_property_marked"


def with_index(messages: DataFrame) -> DataFrame:
    """Messages with the column."""
    entries = f.map_entries("properties")
    slots = f.transform(entries, lambda one: (f.crc32(one["key"]) % SLOTS).cast("int"))
    hashes = f.transform(entries, lambda one: f.xxhash64(one["key"], one["value"]))
    placed = messages.select("*", slots.alias(_SLOTS), hashes.alias(_HASHES))
    count = f.coalesce(f.array_size(_SLOTS), f.lit(0)).alias(COUNT)
    marked = placed.select("*", count, _marked().alias(_MARKED))
    fields = [
        f.get(_MARKED, (f.array_position(_SLOTS, slot) - 1).cast("int")).alias(name)
        for slot, name in enumerate(_NAMES)
    ]
    made = marked.select("*", f.struct(COUNT, *fields).alias(INDEX))
    return made.drop(_SLOTS, _HASHES, _MARKED, COUNT)


def _marked() -> Column:
    """The hashes, or SEVERAL where another property stands for the same slot."""
    slots = f.col(_SLOTS)
    is_alone = f.array_size(f.array_distinct(slots)) == f.array_size(slots)
    several = f.zip_with(
        slots,
        _HASHES,
        lambda slot, own: f.when(
            f.array_size(f.filter(slots, lambda one: one == slot)) > 1, SEVERAL
        ).otherwise(own),
    )
    return f.when(is_alone, f.col(_HASHES)).otherwise(several)


def may_have(name: str, value: str | None) -> Column:
    """Whether a message may have a property with this value; None is any."""
    slot = f.col(f"{INDEX}.{_NAMES[zlib.crc32(name.encode()) % SLOTS]}")
    if value is None:
        return slot.isNotNull()
    return slot.isin(f.xxhash64(f.lit(name), f.lit(value)), f.lit(SEVERAL))


def is_without() -> Column:
    """Whether a row has no index, and has to be looked at."""
    return f.col(f"{INDEX}.{COUNT}").isNull()
