"""Messages of the lake by a selector: the product's own, on properties with their types.

A property that every match must have with one text is asked for in the index first, so that files
without it are not opened. Fields of the descriptor are columns, and a condition in SQL names those.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ternmq.base.errors import MQError
from ternmq.codec.property import PropertyValue
from ternmq.codec.property_types import value_of_text
from ternmq.codec.selector.selector import Selector, compile_selector
from ternmq.codec.selector.source import PropertiesByName

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

_COLUMNS = ("properties", "property_types")


def selector_for_lake(text: str) -> Selector:
    """The selector of a text. ValueError if it is invalid, or names what is not a property."""
    try:
        selector = compile_selector(text)
    except MQError as error:
        raise ValueError(f"the selector {text!r}: {error.detail or error.reason_name}") from None
    for name in selector.names:
        if name.startswith(("JMS", "Root.")):
            raise ValueError(
                f"the selector {text!r}: {name} is not a property; --where compares columns"
            )
    return selector


def required(text: str) -> tuple[tuple[str, str | None], ...]:
    """Properties and values that every match has."""
    return tuple(selector_for_lake(text).required_texts())


def selected(messages: DataFrame, text: str) -> DataFrame:
    """The messages that match."""
    selector_for_lake(text)

    def matching(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        selector = selector_for_lake(text)
        source = PropertiesByName(selector.names)
        for batch in batches:
            maps = [batch.column(batch.schema.get_field_index(name)) for name in _COLUMNS]
            wanted: list[bool] = []
            for properties, types in zip(*(one.to_pylist() for one in maps), strict=True):
                source.load(typed(dict(properties or ()), dict(types or ())))
                wanted.append(selector.matches(source))
            yield batch.filter(pa.array(wanted, pa.bool_()))

    return messages.mapInArrow(matching, messages.schema)


def typed(properties: dict[str, str | None], types: dict[str, str]) -> dict[str, PropertyValue]:
    """Properties as the columns have them, as values."""
    return {
        name: value_of_text(types.get(name) or "string", text)[1]
        for name, text in properties.items()
    }
