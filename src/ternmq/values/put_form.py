"""A put, but for its data: what the API keeps and uses again."""

from __future__ import annotations

from mypy_extensions import i64, mypyc_attr


@mypyc_attr(acyclic=True)
class PutForm:
    """A checked descriptor and MQPMO options, in the form that the transport puts with. It may be
    used for any number of puts."""

    __slots__ = ("options",)

    def __init__(self, options: i64) -> None:
        self.options: i64 = options

    def with_properties(self, area: bytes) -> PutForm:
        """The same for a message with this property area."""
        raise NotImplementedError

    def with_ids(self, msg_id: bytes, correl_id: bytes) -> PutForm:
        """The same for a message with these identifiers."""
        raise NotImplementedError
