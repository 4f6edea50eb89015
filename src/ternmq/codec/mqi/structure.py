"""The base of the classes for structures: they are read, written, compared and shown by layout."""

from __future__ import annotations

from typing import ClassVar, Self

from ternmq.codec.charset import UTF8
from ternmq.codec.mqi.layout import LITTLE, Layout, Value


class Structure:
    """One structure with its fields as attributes; a subclass has the layout and the attributes.

    `version` says which fields are written. Fields that a version lacks keep their defaults.
    """

    LAYOUT: ClassVar[Layout]

    def __init__(self, *, version: int = 1) -> None:
        self.version = version

    @classmethod
    def unpack(
        cls,
        data: bytes,
        offset: int = 0,
        order: str = LITTLE,
        ccsid: int = UTF8,
        native: bool = False,
    ) -> Self:
        """Read the structure at `offset`; the reason code of the structure if it is not valid."""
        made = cls()
        made.fill(data, offset, order, ccsid, native)
        return made

    def fill(self, data: bytes, offset: int, order: str, ccsid: int, native: bool) -> None:
        """Take the fields from the structure at `offset`; `unpack` on a structure that is there."""
        # Not in `unpack` itself: a subclass that needs more overrides this, as compiled code cannot
        # reach an overridden class method.
        self.version, values = self.LAYOUT.read(data, offset, order, ccsid, native)
        for name, value in values.items():
            setattr(self, name, value)

    def pack(self, order: str = LITTLE, ccsid: int = UTF8, native: bool = False) -> bytes:
        """The bytes of the structure."""
        return self.LAYOUT.write(self.version, self.values(), order, ccsid, native)

    def size(self, native: bool = False) -> int:
        """The length in bytes of what `pack` gives."""
        return self.LAYOUT.size(self.version, native=native)

    def values(self) -> dict[str, Value]:
        """Every field of the layout by name, those of later versions too."""
        return {field.name: getattr(self, field.name) for field in self.LAYOUT.fields}

    def shown(self) -> dict[str, object]:
        """What makes two structures equal and what `repr` shows, besides the version."""
        return dict(self.values())

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other) or not isinstance(other, Structure):
            return NotImplemented
        return self.version == other.version and self.shown() == other.shown()

    def __repr__(self) -> str:
        usual = type(self)()
        defaults = usual.shown()
        parts = [] if self.version == usual.version else [f"version={self.version}"]
        for name, value in self.shown().items():
            if value != defaults[name]:
                as_hex = f"0x{value.hex()}" if isinstance(value, bytes) else repr(value)
                parts.append(f"{name}={as_hex}")
        return f"{type(self).__name__}({', '.join(parts)})"
