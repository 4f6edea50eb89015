"""An open object as API and protocols know it; the kernel's own handle is one of these."""

from __future__ import annotations

from mypy_extensions import i64


class ObjectHandle:
    """What MQOPEN gave: its number, the MQOO options that hold, the name of the object."""

    __slots__ = ("handle_id", "options", "resolved_name")

    def __init__(self, handle_id: int, options: i64) -> None:
        self.handle_id = handle_id
        self.options: i64 = options
        self.resolved_name = ""
