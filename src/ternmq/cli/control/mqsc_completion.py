"""What TAB completes in runmqsc: actions, what each takes, keywords, words, and names of objects.

Names come from the queue manager by DISPLAY, so a user sees those that it may display. They are
asked for when TAB is pressed at a place where a name stands, and at no other time.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from ternmq.admin.command_table import (
    ACTIONS,
    NOUN_SYNONYMS,
    SYNONYMS,
    CommandRow,
    nouns_of,
    row_of,
)
from ternmq.admin.mqsc.parser import full_word, keywords_of
from ternmq.base.attributes import ATTRIBUTES
from ternmq.base.errors import MQError
from ternmq.base.object_types import OBJECT_TYPES
from ternmq.values.command import Answer

NAMES_MAX: Final = 200
_PLAIN: Final = re.compile(r"[A-Z0-9._/%]+")  # needs no quotes
_LISTED: Final = {  # what stands in brackets after the noun, where DISPLAY of the noun is a status
    "QSTATUS": "QLOCAL",
    "QSTATS": "QLOCAL",
    "CHSTATUS": "CHANNEL",
    "LSSTATUS": "LISTENER",
    "SVSTATUS": "SERVICE",
    "SBSTATUS": "SUB",
}
_REFERENCES: Final = {  # keywords whose value is the name of an object
    "BOQNAME": "QLOCAL",
    "DEADQ": "QLOCAL",
    "DEFXMITQ": "QLOCAL",
    "INITQ": "QLOCAL",
    "PROCESS": "PROCESS",
    "STREAMQ": "QUEUE",
    "TARGET": "QUEUE",
    "TOQLOCAL": "QLOCAL",
    "XMITQ": "QLOCAL",
}

Asked = Callable[[str], list[Answer]]


def no_answers(text: str) -> list[Answer]:
    """Where there is no queue manager to ask."""
    return []


def completions(before: str, word: str, ask: Asked = no_answers) -> list[str]:
    """What the word may become, given the command before it; in the case that the word is in."""
    choices = _choices(before.upper(), word.upper(), ask)
    fitting = [one for one in choices if one.startswith(word.upper())]
    return [one.lower() for one in fitting] if word.islower() else fitting


def _choices(before: str, word: str, ask: Asked) -> list[str]:
    words = before.replace("(", " ( ").replace(")", " ) ").replace(",", " ").split()
    if words and words[0] in ("HELP", "?"):
        words = words[1:]
    if not words:
        return list(ACTIONS)
    action = full_word(words[0], SYNONYMS, list(ACTIONS))
    if len(words) == 1:
        return nouns_of(action)
    row = row_of(action, full_word(words[1], NOUN_SYNONYMS, nouns_of(action)))
    if row is None:
        return []
    if words[-1] != "(":
        return keywords_of(row)
    noun = _named_by(row, words)
    if noun:
        return _names(noun, word, ask)
    return _values(row.parameters.get(words[-2], ""), words[-2], row.types)


def _named_by(row: CommandRow, words: list[str]) -> str:
    """The kind of object whose name stands in the bracket that was opened last; "" for another
    value, and for the name of an object that is new."""
    if len(words) == 3:
        noun = _LISTED.get(row.noun, row.noun)
        return noun if row.action != "DEFINE" and row_of("DISPLAY", noun) is not None else ""
    if words[-2] == "LIKE":
        return row.noun
    return _REFERENCES.get(words[-2], "")


def _names(noun: str, beginning: str, ask: Asked) -> list[str]:
    if not _PLAIN.fullmatch(f"{beginning}X"):
        return []
    try:
        answers = ask(f"DISPLAY {noun}({beginning}*)")
    except MQError:  # the next command reports it
        return []
    names = [str(one.items[0].value) for one in answers if one.ok and one.items]
    found = sorted({name for name in names if _PLAIN.fullmatch(name)})
    if len(found) > NAMES_MAX:
        # With the last one the letters that all have in common stay those of all, not of some.
        found = [*found[: NAMES_MAX - 1], found[-1]]
    return found


def _values(kind: str, keyword: str, bits: int) -> list[str]:
    """The words that may stand in the brackets of a keyword."""
    if "|" in kind:
        return kind.split("|")
    if keyword in ("CHLTYPE", "AUTHTYPE", "TYPE"):
        return [one.noun for one in OBJECT_TYPES if one.bit & bits]
    words: list[str] = []
    for row in ATTRIBUTES:
        if row.keyword == keyword and row.types & bits:
            words.extend(word for word in row.words if word not in words)
    return words
