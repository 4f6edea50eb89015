"""A put, but for its data: what the API keeps and uses again."""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64, mypyc_attr

from ternmq.base.errors import MQError, mq_error
from ternmq.base.reasons import MQRC_PMO_ERROR

PUBLICATION_LEVEL_MAX: Final = 9  # and what a put has that says nothing


@mypyc_attr(acyclic=True)
class PutForm:
    """A checked descriptor and MQPMO options, in the form that the transport puts with. It may be
    used for any number of puts."""

    __slots__ = ("level", "options")

    def __init__(self, options: i64) -> None:
        self.options: i64 = options
        self.level: i64 = PUBLICATION_LEVEL_MAX  # PubLevel, of a publication

    def with_properties(self, area: bytes) -> PutForm:
        """The same for a message with this property area."""
        raise NotImplementedError

    def with_ids(self, msg_id: bytes, correl_id: bytes) -> PutForm:
        """The same for a message with these identifiers."""
        raise NotImplementedError

    def with_level(self, level: int) -> PutForm:
        """The same for a publication of this level."""
        raise NotImplementedError


def foreign_form(verb: str) -> MQError:
    """A put with a form that a transport of another kind has made."""
    detail = "the form was made by another connection: make it with `put_form` of this one"
    return mq_error(MQRC_PMO_ERROR, verb=verb, detail=detail)


def check_level(level: int, verb: str) -> None:
    """PubLevel is 0 to 9."""
    if not 0 <= level <= PUBLICATION_LEVEL_MAX:
        detail = f"PubLevel {level}; it is 0 to {PUBLICATION_LEVEL_MAX}"
        raise mq_error(MQRC_PMO_ERROR, verb=verb, detail=detail)
