"""The properties of a message handle in their order, and the cursor of MQINQMP among them.

Properties of one folder stand together, unless the cursor says where one goes. The cursor is on the
property that MQINQMP gave last; if that is deleted, the cursor is before its successor.
"""

from __future__ import annotations

from typing import final

from ternmq.base.errors import mq_error
from ternmq.base.reasons import (
    MQRC_MIXED_CONTENT_NOT_ALLOWED,
    MQRC_PROPERTIES_TOO_BIG,
    MQRC_PROPERTY_NOT_AVAILABLE,
)
from ternmq.codec.property import Property
from ternmq.codec.property_folders import PARTS_MAX, folder_of, parts_of
from ternmq.codec.property_names import Hierarchy, name_matches
from ternmq.codec.property_types import shown


@final
class Slot:
    """One place in the list."""

    __slots__ = ("property", "type_string")

    def __init__(self, property: Property, type_string: str = "") -> None:
        self.property = property
        self.type_string = type_string  # the `dt` of an element whose type is not known


@final
class PropertyList:
    """Properties, and a cursor."""

    def __init__(self) -> None:
        self._slots: list[Slot] = []
        self._hierarchy = Hierarchy()
        self._rows = 0  # of properties of one folder, at most
        self._seen = self._slots  # what the cursor is in: these, or properties of the descriptor
        self._at = -1
        self._pattern = ""
        self._is_gone = True

    def properties(self) -> list[Property]:
        """All of them."""
        return [slot.property for slot in self._slots]

    def clear(self) -> None:
        """Take all away."""
        self._slots.clear()
        self._hierarchy = Hierarchy()
        self._rows = 0
        self.reset_cursor()

    def reset_cursor(self) -> None:
        """The cursor is on no property: MQGET and MQPUT with the handle do that."""
        self._seen = self._slots
        self._at = -1
        self._pattern = ""
        self._is_gone = True

    def find(self, name: str) -> Property | None:
        """The first property of that name."""
        if self._hierarchy.has(name):
            for slot in self._slots:
                if slot.property.name == name:
                    return slot.property
        return None

    # ---- changes

    def take(self, property: Property, type_string: str) -> None:
        """Add a property of a message, whatever it is."""
        self._insert(len(self._slots), Slot(property, type_string))

    def check_new(self, name: str, validates: bool) -> None:
        """MQRC_MIXED_CONTENT_NOT_ALLOWED and MQRC_PROPERTIES_TOO_BIG for one more property."""
        clash = self._hierarchy.clash(name) if validates else ""
        if clash:
            detail = f"{shown(name)} beside {shown(clash)}: one would be a value and a group"
            raise mq_error(
                MQRC_MIXED_CONTENT_NOT_ALLOWED, verb="MQSETMP", detail=f"{detail}; rename it"
            )
        parts = self._parts_with(name)
        if parts > PARTS_MAX:
            self._rows = (parts_of(self.properties()) - 1 - self._hierarchy.elements) // 2
            parts = self._parts_with(name)
        if parts > PARTS_MAX:
            detail = f"{shown(name)} would be one of {parts} parts; {PARTS_MAX} are the most"
            raise mq_error(MQRC_PROPERTIES_TOO_BIG, verb="MQSETMP", detail=detail)

    def _parts_with(self, name: str) -> int:
        """How many parts of an MQRFH2 there are at most, with one more property."""
        return 1 + 2 * (self._rows + 2) + self._hierarchy.elements + (name.count(".") or 1)

    def set_first(self, property: Property) -> None:
        """Replace the first of that name, or add it behind those of its folder."""
        if self._hierarchy.has(property.name):
            for slot in self._slots:
                if slot.property.name == property.name:
                    slot.property = property
                    slot.type_string = ""
                    return
        self._insert(self._end_of_folder(property.name), Slot(property))

    def append(self, property: Property) -> None:
        """Add it behind the others of that name, else behind those of its folder."""
        at = len(self._slots)
        while at and self._slots[at - 1].property.name != property.name:
            at -= 1
        self._insert(at or self._end_of_folder(property.name), Slot(property))

    def insert_at_cursor(self, property: Property, after: int) -> None:
        """Add it before the one under the cursor, or one place after."""
        self.under_cursor("MQSETMP")
        self._insert(self._at + after, Slot(property))

    def remove_first(self, name: str) -> bool:
        """Delete the first of that name; False if no property has it."""
        if self._hierarchy.has(name):
            for at, slot in enumerate(self._slots):
                if slot.property.name == name:
                    self._remove(at)
                    return True
        return False

    def remove_under_cursor(self) -> None:
        """Delete the one under the cursor."""
        self.under_cursor("MQDLTMP")
        self._remove(self._at)

    def remove_matching(self, pattern: str) -> None:
        """Delete all that a pattern matches."""
        for at in range(len(self._slots) - 1, -1, -1):
            if name_matches(self._slots[at].property.name, pattern):
                self._remove(at)

    def _insert(self, at: int, slot: Slot) -> None:
        folder = folder_of(slot.property.name)
        if at == 0 or folder_of(self._slots[at - 1].property.name) != folder:
            self._rows += 1 if at == len(self._slots) else 2
        self._slots.insert(at, slot)
        self._hierarchy.add(slot.property.name)
        if self._seen is self._slots and at <= self._at:
            self._at += 1

    def _remove(self, at: int) -> None:
        self._hierarchy.remove(self._slots[at].property.name)
        del self._slots[at]
        if self._seen is self._slots and at <= self._at:
            self._is_gone = self._is_gone or at == self._at
            self._at -= 1

    def _end_of_folder(self, name: str) -> int:
        folder = folder_of(name)
        at = len(self._slots)
        while at and folder_of(self._slots[at - 1].property.name) != folder:
            at -= 1
        return at or len(self._slots)

    # ---- the cursor

    def under_cursor(self, verb: str) -> Slot:
        """The property under the cursor; those of the descriptor can only be looked at."""
        if self._is_gone or (self._seen is not self._slots and verb != "MQINQMP"):
            detail = "the cursor is on no property; inquire one first"
            raise mq_error(MQRC_PROPERTY_NOT_AVAILABLE, verb=verb, detail=detail)
        return self._seen[self._at]

    def place_of_next(self, pattern: str, goes_on: bool, others: list[Slot] | None) -> int:
        """The place of the next property that matches, in `others` if that is given: behind the
        cursor if the inquiry goes on with the pattern of the one before."""
        seen = self._slots if others is None else others
        begin = self._at + 1 if goes_on and pattern == self._pattern else 0
        for at in range(begin, len(seen)):
            if name_matches(seen[at].property.name, pattern):
                return at
        detail = f"no{' other' if begin else ''} property matches {shown(pattern)}"
        raise mq_error(MQRC_PROPERTY_NOT_AVAILABLE, verb="MQINQMP", detail=detail)

    def slot(self, at: int, others: list[Slot] | None) -> Slot:
        """What is at a place."""
        return (self._slots if others is None else others)[at]

    def move_cursor(self, at: int, pattern: str, others: list[Slot] | None) -> None:
        """The cursor is there now."""
        self._seen = self._slots if others is None else others
        self._at = at
        self._pattern = pattern
        self._is_gone = False
