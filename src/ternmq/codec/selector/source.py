"""Where a selector finds the values of a message.

A selector numbers its names: `selector.names[index]` is asked for by `value_at(index)`, never by
text. So a reader is made once for a handle: it decides there which field of the descriptor or which
name in the property area each index is, and goes from message to message with no look-up by name.
Only names that decide are asked for, left to right; None is a property that is not there, or null.
A string or number is asked for again each time that the text names it: keep it if reading is slow.
"""

from __future__ import annotations

from typing import final

from mypy_extensions import i64

from ternmq.codec.property import PropertyValue


class PropertySource:
    """The message that a selector looks at; a compiled subclass reads it where it is."""

    def value_at(self, index: i64) -> PropertyValue:
        """The value of the selector's name with that index; None if it is not there or null."""
        raise NotImplementedError


@final
class PropertiesByName(PropertySource):
    """The properties of a message that are already values. `load` goes to the next message."""

    def __init__(self, names: list[str]) -> None:
        self._names = names
        self._properties: dict[str, PropertyValue] = {}

    def load(self, properties: dict[str, PropertyValue]) -> None:
        """Look at this message from now on."""
        self._properties = properties

    def value_at(self, index: i64) -> PropertyValue:
        """The value of the name with that index."""
        return self._properties.get(self._names[index])
