"""Identifiers of Java, of which names of properties are made, and the words that are not names: in
MQSETMP and in selection strings alike.
"""

from __future__ import annotations

import unicodedata
from typing import Final

# Words of selection strings, in any case.
KEYWORDS: Final = frozenset(
    ("NULL", "TRUE", "FALSE", "NOT", "AND", "OR", "BETWEEN", "LIKE", "IN", "IS", "ESCAPE")
)
# Categories of Unicode.
_CAN_BEGIN: Final = frozenset(("Lu", "Ll", "Lt", "Lm", "Lo", "Nl", "Sc", "Pc"))
_CAN_FOLLOW: Final = _CAN_BEGIN | frozenset(("Nd", "Mn", "Mc", "Cf"))


def wrong_in_identifier(text: str) -> int:
    """The place of the first character that cannot be where it is; -1 if there is none."""
    if text.isascii() and text.isidentifier():
        return -1
    for place, character in enumerate(text):
        allowed = _CAN_FOLLOW if place else _CAN_BEGIN
        if unicodedata.category(character) not in allowed:
            return place
    return -1
