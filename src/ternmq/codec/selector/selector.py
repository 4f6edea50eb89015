"""A selector of messages: compiled from its text once, then asked about message after message.

`matches` takes a PropertySource, which answers by the index of a name in `names`. `required_id` and
the other facts let a caller look where a message can be, and forget what cannot change: they only
narrow, `matches` decides. docs/applications/selectors.md has the language.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.base.constants import MQ_SELECTOR_LENGTH
from ternmq.base.errors import MQError, mq_error
from ternmq.base.reasons import MQRC_SELECTION_STRING_ERROR, MQRC_SELECTOR_ALWAYS_FALSE
from ternmq.codec.property import PropertyValue
from ternmq.codec.property_synonyms import ROOT_PREFIX, SYNONYMS
from ternmq.codec.selector.nodes import (
    EQUAL,
    TRUE,
    Comparison,
    Condition,
    Every,
    Literal,
    Name,
    TextComparison,
)
from ternmq.codec.selector.parser import Parser
from ternmq.codec.selector.source import PropertySource

MESSAGE_ID: Final = 1
CORRELATION_ID: Final = 2
GROUP_ID: Final = 3
_ID_BYTES: Final = 24
_ID_PREFIX: Final = "ID:"
_ID_FIELDS: Final = {"MsgId": MESSAGE_ID, "CorrelId": CORRELATION_ID, "GroupId": GROUP_ID}
_TEXT_IDS: Final = {
    name: _ID_FIELDS[one.fields[0]]
    for name, one in SYNONYMS.items()
    if one.fields and one.fields[0] in _ID_FIELDS
}
_BYTE_IDS: Final = {f"{ROOT_PREFIX}{field}": kind for field, kind in _ID_FIELDS.items()}
# What a backout or the time changes while a message stays on its queue.
CHANGING_NAMES: Final = frozenset(
    (
        f"{ROOT_PREFIX}BackoutCount",
        f"{ROOT_PREFIX}Expiry",
        *(name for name, one in SYNONYMS.items() if one.fields == ("BackoutCount",)),
    )
)
_HEX_DIGITS: Final = frozenset("0123456789abcdefABCDEF")


@final
class Selector:
    """A compiled selection string."""

    def __init__(self, text: str, names: list[str], mentions: int, condition: Condition) -> None:
        self.text = text
        self.names = names  # each once, as they first stand in the text
        self.mentions = mentions  # how often the text has one of them
        self._condition = condition
        self.can_change = not CHANGING_NAMES.isdisjoint(names)  # its answer, while a message waits

    def matches(self, source: PropertySource) -> bool:
        """Whether the message is selected: the condition is true, neither false nor unknown."""
        return self._condition.truth(source) == TRUE

    def uses(self, name: str) -> bool:
        """Whether the text names this property."""
        return name in self.names

    def required_id(self) -> tuple[int, bytes] | None:
        """An id that every selected message has: which one, and its 24 bytes; None if none is
        known. Of several the first."""
        condition = self._condition
        if isinstance(condition, Every):
            for part in condition.parts:
                found = _id_of(part)
                if found is not None:
                    return found
            return None
        return _id_of(condition)

    def required_texts(self) -> list[tuple[str, str]]:
        """Names and strings: every selected message has these properties with these values."""
        condition = self._condition
        parts = condition.parts if isinstance(condition, Every) else [condition]
        return [
            (part.name.name, part.text)
            for part in parts
            if isinstance(part, TextComparison) and part.operator == EQUAL
        ]


def compile_selector(text: str, verb: str = "", object: str = "") -> Selector:
    """The selector of a text that is not empty; MQError says what is wrong with it, and where."""
    try:
        return _compile(text)
    except MQError as error:
        if verb or object:
            error.verb = verb
            error.object = object
        raise


def _compile(text: str) -> Selector:
    if len(text) > MQ_SELECTOR_LENGTH:
        detail = f"{len(text)} characters; {MQ_SELECTOR_LENGTH} are allowed"
        raise mq_error(MQRC_SELECTION_STRING_ERROR, detail=detail)
    parser = Parser(text)
    condition = parser.parse()
    names = parser.names
    if not names and condition.truth(PropertySource()) != TRUE:
        detail = "the selector names no property and is not true; no message could match it"
        raise mq_error(MQRC_SELECTOR_ALWAYS_FALSE, detail=detail)
    return Selector(text, names, parser.mentions, condition)


def _id_of(condition: Condition) -> tuple[int, bytes] | None:
    """The id that a test asks for, if it is one that does."""
    if isinstance(condition, TextComparison):
        if condition.operator == EQUAL:
            return _of_text(condition.name.name, condition.text)
    elif isinstance(condition, Comparison) and condition.operator == EQUAL:
        left, right = condition.left, condition.right
        if isinstance(left, Name) and isinstance(right, Literal):
            return _of_bytes(left.name, right.constant)
        if isinstance(left, Literal) and isinstance(right, Name):
            return _of_bytes(right.name, left.constant)
    return None


def _of_text(name: str, text: str) -> tuple[int, bytes] | None:
    kind = _TEXT_IDS.get(name, 0)
    digits = text[len(_ID_PREFIX) :]
    if not kind or not text.startswith(_ID_PREFIX) or len(digits) != 2 * _ID_BYTES:
        return None
    return (kind, bytes.fromhex(digits)) if _HEX_DIGITS.issuperset(digits) else None


def _of_bytes(name: str, value: PropertyValue) -> tuple[int, bytes] | None:
    kind = _BYTE_IDS.get(name, 0)
    if not kind or not isinstance(value, bytes) or len(value) != _ID_BYTES:
        return None
    return kind, value
