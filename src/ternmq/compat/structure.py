"""MQOpts: a C structure as a Python object, with members as attributes, as items, as keywords.

Everything both libraries have as a structure derives from it. A subclass says by name which rows of
`member_table` it has.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from ternmq.compat.member_table import IBMMQ, PYMQI, members
from ternmq.compat.unicode import ensure_bytes, ensure_not_unicode


class MQOpts:
    """The members are given as lists: name, default, format of `struct`, how often (1 if not
    given). Keywords set members; an unknown name raises AttributeError."""

    _library: ClassVar[str] = PYMQI

    def __init__(self, memlist: Sequence[list[Any]], **kw: Any) -> None:
        self._members = list(memlist)
        self._buffers: dict[str, Any] = {}  # what pointers of MQCHARV point to
        for member in self._members:
            setattr(self, member[0], member[1])
        self.set(**kw)

    if TYPE_CHECKING:  # members are attributes

        def __getattr__(self, name: str) -> Any: ...

        def __setattr__(self, name: str, value: Any) -> None: ...

    @property
    def _format(self) -> str:
        return "".join(
            member[2] * (member[3] if len(member) > 3 else 1) for member in self._members
        )

    def _given(self, value: Any) -> Any:
        """A value for a member: pymqi takes no text, ibmmq turns it into bytes."""
        if self._library == IBMMQ:
            return ensure_bytes(value)
        ensure_not_unicode(value)
        return value

    # ---- members

    def set(self, **kw: Any) -> None:
        """Set members."""
        for name, value in kw.items():
            self[name] = value

    def get(self) -> dict[str, Any]:
        """All members by name."""
        return {member[0]: getattr(self, member[0]) for member in self._members}

    def __getitem__(self, key: str) -> Any:
        return getattr(self, key)

    def __setitem__(self, key: str, value: Any) -> None:
        getattr(self, key)  # only what is there can be set
        setattr(self, key, self._given(value))

    # ---- bytes

    def pack(self) -> bytes:
        """The structure as a C program has it in memory."""
        values: list[Any] = []
        for member in self._members:
            value = getattr(self, member[0])
            if value is None and member[2] == "P":
                value = 0
            each = value if isinstance(value, list) else [value]
            values += [self._given(one) for one in each]
        return struct.pack(self._format, *values)

    def unpack(self, buff: bytes) -> Any:
        """Take the members from bytes; what is missing at the end is zeros."""
        ensure_not_unicode(buff)
        values = struct.unpack(self._format, bytes(buff).ljust(self.get_length(), b"\0"))
        at = 0
        for member in self._members:
            if isinstance(member[1], list):
                count = len(struct.unpack(f"={member[2]}", bytes(struct.calcsize(f"={member[2]}"))))
                count *= member[3] if len(member) > 3 else 1
                setattr(self, member[0], list(values[at : at + count]))
                at += count
            else:
                setattr(self, member[0], values[at])
                at += 1
        return self if self._library == IBMMQ else None

    def get_length(self) -> int:
        """How long the packed structure is."""
        return struct.calcsize(self._format)

    def __str__(self) -> str:
        return "\n".join(f"{name}: {value}" for name, value in self.get().items())

    def __repr__(self) -> str:
        return str(self.pack())

    # ---- MQCHARV

    def set_vs(
        self,
        vs_name: str,
        vs_value: Any = None,
        vs_offset: int = 0,
        vs_buffer_size: int = 0,
        vs_ccsid: int = 0,
    ) -> None:
        """Set the five members of an MQCHARV; it points to a copy of the text."""
        name = vs_name.removesuffix("VSPtr")
        if name in ("SubName", "ObjectString") or self._library == IBMMQ:
            vs_value = ensure_bytes(vs_value)
        ensure_not_unicode(vs_value)
        address: int | None = 0
        if vs_value is not None:
            buffer = ctypes.create_string_buffer(vs_value)
            self._buffers[name] = buffer
            address = ctypes.addressof(buffer)
        self[f"{name}VSPtr"] = address
        self[f"{name}VSOffset"] = vs_offset
        self[f"{name}VSBufSize"] = vs_buffer_size
        self[f"{name}VSLength"] = len(vs_value or b"")
        self[f"{name}VSCCSID"] = vs_ccsid

    def get_vs(self, vs_name: str) -> bytes | None:
        """The text that an MQCHARV points to; None if it points to nothing."""
        address = self[f"{vs_name.removesuffix('VSPtr')}VSPtr"]
        return ctypes.c_char_p(address).value if address else None


class TableStructure(MQOpts):
    """A structure whose members stand in the table under its name."""

    _structure: ClassVar[str] = ""

    def __init__(self, **kw: Any) -> None:
        super().__init__(members(self._structure, self._library), **kw)
