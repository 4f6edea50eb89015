"""The words of a selection string: names, literals, operators, each with its place.

name         Java identifiers joined by periods: colour, a.b.c, Root.MQMD.MsgType
string       'red', 'it''s'
byte string  "0x0AFC23": double quotation marks, pairs of hexadecimal digits
integer      57, 57L; 0x1F; 0177: a zero before a digit makes it octal, so 09 is wrong
real         7E3, 6.2, 7., .5, 57F, 57D; always kept in double precision
keyword      in upper or lower case; no name can be one of them
"""

from __future__ import annotations

import math
import re
from typing import Final, final

from ternmq.base.errors import MQError, mq_error
from ternmq.base.reasons import MQRC_SELECTION_NOT_AVAILABLE, MQRC_SELECTOR_SYNTAX_ERROR
from ternmq.codec.identifiers import KEYWORDS, wrong_in_identifier
from ternmq.codec.property import PropertyValue

# Kinds of words.
END: Final = 0
NAME: Final = 1
LITERAL: Final = 2
OPERATOR: Final = 3  # = <> < <= > >= + - * / ( ) ,
KEYWORD: Final = 4

INT64_MAX: Final = (1 << 63) - 1
INT64_MIN: Final = -(1 << 63)
_DECIMALS_MAX: Final = 19  # digits of the largest integer
# What Java takes for white space, and the other spaces of Unicode but U+00A0.
SPACES: Final = (
    "\t\n\x0b\f\r \x1c\x1d\x1e\x1f\u1680\u180e\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007"
    "\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
_SKIP: Final = re.compile(f"[{SPACES}]*")
# Of each kind what its first character promises; whether the rest is right is found out later.
_NAME: Final = re.compile(f"(?:[A-Za-z0-9_$.]|[^\\x00-\\x7f{SPACES}])+")
_STRING: Final = re.compile(r"'[^']*'")
_NUMBER: Final = re.compile(
    r"0[xX](?P<hex>[0-9A-Fa-f]+)[lL]?"
    r"|0(?P<octal>[0-7]+)[lL]?"
    r"|(?P<integer>0|[1-9][0-9]*)(?![0-9.eEfFdD])[lL]?"
    r"|(?P<real>(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)[fFdD]?"
)
_BYTES: Final = re.compile(r'"0[xX]((?:[0-9A-Fa-f]{2})+)"')
_OPERATOR: Final = re.compile(r"<>|<=|>=|[=<>+\-*/(),]")
_DIGITS: Final = frozenset("0123456789")
_SHOWN_MAX: Final = 40


@final
class Word:
    """One word. `at` counts from 0. A literal has its value, any other word its text."""

    __slots__ = ("at", "kind", "text", "value")

    def __init__(self, kind: int, text: str, at: int, value: PropertyValue = None) -> None:
        self.kind = kind
        self.text = text  # of a keyword in capitals
        self.at = at
        self.value = value


def syntax_error(at: int, what: str) -> MQError:
    """The refusal of a selection string; `at` counts from 0."""
    return mq_error(MQRC_SELECTOR_SYNTAX_ERROR, detail=f"character {at + 1}: {what}")


def shown(text: str) -> str:
    """A part of the string for the text of an error."""
    return repr(text if len(text) <= _SHOWN_MAX else text[:_SHOWN_MAX] + "...")


def words_of(text: str) -> list[Word]:
    """The words of a selection string, and one of kind END."""
    words: list[Word] = []
    at = _end_of_match(_SKIP, text, 0)
    while at < len(text):
        word, end = _next_word(text, at)
        words.append(word)
        at = _end_of_match(_SKIP, text, end)
    words.append(Word(END, "", len(text)))
    return words


def _end_of_match(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return at if found is None else found.end()


def _next_word(text: str, at: int) -> tuple[Word, int]:
    """The word that begins here, and where it ends."""
    first = text[at]
    if first in _DIGITS or (first == "." and text[at + 1 : at + 2] in _DIGITS):
        return _number(text, at)
    if first == "'":
        return _string(text, at)
    if first == '"':
        found = _BYTES.match(text, at)
        if found is None:
            what = 'a byte string is "0x and pairs of hexadecimal digits"; a string has'
            raise syntax_error(at, f"{what} 'single' marks")
        return Word(LITERAL, found.group(), at, bytes.fromhex(found.group(1))), found.end()
    found = _OPERATOR.match(text, at)
    if found is not None:
        return Word(OPERATOR, found.group(), at), found.end()
    found = _NAME.match(text, at)
    if found is None:
        raise syntax_error(at, f"{shown(first)} has no meaning here{_advice(first)}")
    return _name(found.group(), at), found.end()


def _advice(first: str) -> str:
    if first == "!":
        return "; not equal is <>"
    if first in "&|":
        return "; write AND, OR"
    return ""


# ---- names


def _name(text: str, at: int) -> Word:
    """A name or a keyword."""
    if len(text) <= len("BETWEEN"):
        capitals = text.upper()
        if capitals in KEYWORDS and text.isascii():
            return Word(KEYWORD, capitals, at)
    place = at
    for part in text.split("."):
        if not part:
            raise syntax_error(place, f"{shown(text)} has a period with no name beside it")
        wrong = wrong_in_identifier(part)
        if wrong >= 0:
            what = f"{shown(part[wrong])} cannot be in a name like {shown(text)}"
            raise syntax_error(place + wrong, what)
        place += len(part) + 1
    if text.startswith("Body.") or (text.startswith("Root.") and not _is_in_descriptor(text)):
        what = (
            f"character {at + 1}: {shown(text)} is in the data; only properties can be selected by"
        )
        raise mq_error(MQRC_SELECTION_NOT_AVAILABLE, detail=what)
    return Word(NAME, text, at)


def _is_in_descriptor(name: str) -> bool:
    return name.startswith("Root.MQMD.")


# ---- literals


def _string(text: str, at: int) -> tuple[Word, int]:
    parts: list[str] = []
    end = at
    while True:
        found = _STRING.match(text, end)
        if found is None:
            raise syntax_error(at, "the string that begins here has no closing mark '")
        parts.append(text[end + 1 : found.end() - 1])
        end = found.end()
        if text[end : end + 1] != "'":
            return Word(LITERAL, text[at:end], at, "'".join(parts)), end


def _number(text: str, at: int) -> tuple[Word, int]:
    found = _NUMBER.match(text, at)
    end = at if found is None else found.end()
    follows = _NAME.match(text, end)
    if found is None or follows is not None:
        whole = text[at:end] if follows is None else text[at : follows.end()]
        what = f"{shown(whole)} is not a number; one like 57, 57L, 6.2, 7E3, 0x1F or octal 0177 is"
        raise syntax_error(at, what)
    value: int | float
    if found.group("real") is not None:
        value = float(found.group("real"))
        is_right = not math.isinf(value)
    else:
        value = _integer(found)
        is_right = value <= INT64_MAX + 1  # the parser refuses it where no minus is before it
    if not is_right:
        raise syntax_error(at, f"{shown(found.group())} is larger than a number can be")
    return Word(LITERAL, found.group(), at, value), end


def _integer(found: re.Match[str]) -> int:
    """The value, or one that is too large."""
    if found.group("hex") is not None:
        return int(found.group("hex"), 16)
    if found.group("octal") is not None:
        return int(found.group("octal"), 8)
    digits: str = found.group("integer")
    return int(digits) if len(digits) <= _DECIMALS_MAX else INT64_MAX + 2
