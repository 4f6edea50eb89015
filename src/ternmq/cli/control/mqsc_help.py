"""`help` and `?` of runmqsc on a terminal: how commands are written, from the command table.

    help                   all actions, with what each can be done to
    help DEFINE            the same of one action
    help QLOCAL            the commands for one kind of object
    help DEFINE QLOCAL     the syntax of one command
    help MAXDEPTH          what an attribute takes

`?` is the same word, and may also stand at the end: DEFINE QLOCAL ?
"""

from __future__ import annotations

import textwrap
from typing import Final

from ternmq.admin.command_table import (
    ACTIONS,
    BARE,
    COMMANDS,
    FILTER,
    NAME,
    NOUN_SYNONYMS,
    NUMBER,
    SYNONYMS,
    CommandRow,
    nouns_of,
    row_of,
)
from ternmq.admin.displayable import attributes_of_row
from ternmq.admin.mqsc.parser import NAME_OPTIONAL, full_word, keywords_of
from ternmq.base import attributes as schema
from ternmq.base.attributes import ATTRIBUTES, Attribute
from ternmq.base.object_types import OBJECT_TYPES
from ternmq.base.similar import did_you_mean

HELP_WORDS: Final = ("HELP", "?")
COLUMNS: Final = 79
_INDENT: Final = "    "
_BEYOND: Final = (
    "end, exit or quit ends. A line that ends in + goes on in the next line.",
    "TAB completes words and names, Ctrl-C drops what was typed of a command.",
)


def asked_about(line: str) -> list[str] | None:
    """The words that a line asks for help with; None if it is not a question."""
    text = line.strip().rstrip(";").strip().upper()
    words = text.replace("(", " ").replace(")", " ").replace("?", " ? ").split()
    if not words:
        return None
    if words[0] in HELP_WORDS:
        return [word for word in words[1:] if word != "?"]
    if text.endswith("?") and words.count("?") == 1 and "'" not in text:
        return words[:-1]
    return None


def help_lines(words: list[str]) -> list[str]:
    """The answer."""
    if not words:
        return ["Commands; help DEFINE QLOCAL shows the syntax of one:", *_overview(), *_BEYOND]
    action = full_word(words[0], SYNONYMS, list(ACTIONS))
    if not action:
        return _about_word(words[0])
    if len(words) == 1:
        return [f"{action}; help {action} {nouns_of(action)[0]} shows one:", *_nouns(action)]
    noun = full_word(words[1], NOUN_SYNONYMS, nouns_of(action))
    row = row_of(action, noun)
    if row is None:
        hint = did_you_mean(words[1], nouns_of(action))
        first = f"{action} does not know {words[1]}. {hint or 'It knows:'}"
        return [first] if hint else [first, *_nouns(action)]
    return _syntax(row)


def _overview() -> list[str]:
    lines: list[str] = []
    for action in ACTIONS:
        lines += _wrapped(f"  {action:<9}", nouns_of(action))
    return lines


def _nouns(action: str) -> list[str]:
    shorts = {noun: short for short, noun in NOUN_SYNONYMS.items()}
    return _wrapped(
        _INDENT,
        [f"{one} ({shorts[one]})" if one in shorts else one for one in nouns_of(action)],
    )


def _about_word(word: str) -> list[str]:
    """A kind of object, or an attribute."""
    nouns = sorted({noun for _, noun in COMMANDS})
    noun = full_word(word, NOUN_SYNONYMS, nouns)
    if noun:
        actions = [action for action in ACTIONS if (action, noun) in COMMANDS]
        return [f"Commands for {noun}:", *(f"{_INDENT}{action} {noun}" for action in actions)]
    found = [one for one in ATTRIBUTES if one.keyword == word or word in _bare_words(one)]
    if found:
        takers = sorted({noun for one in found for noun in _takers(one)})
        forms = list(dict.fromkeys(attribute_form(one) for one in found))
        return [*(f"{_INDENT}{form}" for form in forms), *_wrapped("An attribute of ", takers)]
    known = [*ACTIONS, *nouns, *(one.keyword for one in ATTRIBUTES)]
    hint = did_you_mean(word, known) or "help lists the commands."
    return [f"{word} is not a command, object or attribute. {hint}"]


def _bare_words(attribute: Attribute) -> list[str]:
    return list(attribute.words) if attribute.kind == schema.BARE else []


def _takers(attribute: Attribute) -> list[str]:
    return [
        noun for (action, noun), row in COMMANDS.items()
        if action in ("DEFINE", "ALTER", "SET") and row.types & attribute.types
    ]  # fmt: skip


def _syntax(row: CommandRow) -> list[str]:
    name = ""
    if row.named:
        what = "name or generic*" if row.generic else "name"
        name = f"[({what})]" if row.noun in NAME_OPTIONAL else f"({what})"
    lines = [f"{row.action} {row.noun}{name}"]
    if row.required:
        needs = [" or ".join(_needed(row, one) for one in both.split("/")) for both in row.required]
        lines += _wrapped(f"{_INDENT}must have  ", needs)
    forms = [_parameter_form(*pair) for pair in row.parameters.items()]
    if forms:
        lines += _wrapped(f"{_INDENT}parameters ", forms)
    if row.action == "DISPLAY":
        own = [word for word in keywords_of(row) if word not in (*row.parameters, "ALL", "WHERE")]
        lines += _wrapped(f"{_INDENT}shows      ", own)
        lines.append(f"{_INDENT}           ALL for all of them, WHERE(keyword operator value)")
    else:
        settable = [one for one in attributes_of_row(row) if not one.shown_only]
        if settable and row.action in ("DEFINE", "ALTER", "SET"):
            forms = list(dict.fromkeys(attribute_form(one) for one in settable))
            lines += _wrapped(f"{_INDENT}attributes ", sorted(forms))
    lines.append(f"{_INDENT}authority  {row.authority.lower()} on the {row.authority_on}")
    return lines


def _needed(row: CommandRow, keyword: str) -> str:
    """CHLTYPE and AUTHTYPE with their words."""
    nouns = [one.noun for one in OBJECT_TYPES if one.bit & row.types]
    return f"{keyword}({'|'.join(nouns)})" if keyword in ("CHLTYPE", "AUTHTYPE") else keyword


def _parameter_form(keyword: str, kind: str) -> str:
    if kind == BARE:
        return keyword
    if kind == FILTER:
        return f"{keyword}[(value)]"
    if kind == NAME:
        return f"{keyword}(text)"
    return f"{keyword}(number)" if kind == NUMBER else f"{keyword}({kind})"


def attribute_form(attribute: Attribute) -> str:
    """How an attribute is written: MAXDEPTH(0..999999999), GET(ENABLED|DISABLED), SHARE|NOSHARE."""
    words = "|".join(attribute.words)
    if attribute.kind == schema.BARE:
        return words
    if attribute.kind == schema.NUMBER:
        numbers = f"{attribute.lowest}..{attribute.highest}"
        return (
            f"{attribute.keyword}({numbers}|{words})"
            if words
            else f"{attribute.keyword}({numbers})"
        )
    if attribute.kind == schema.WORD:
        return f"{attribute.keyword}({words})"
    if attribute.kind == schema.WORDS:
        return f"{attribute.keyword}({words}, ...)"
    return (
        f"{attribute.keyword}({'name, ...' if attribute.kind == schema.LIST else attribute.kind})"
    )


def _wrapped(head: str, words: list[str]) -> list[str]:
    """Words after a head, below each other where they do not fit on a line; no word is cut."""
    lines = textwrap.wrap(
        " ".join(word.replace(" ", "\u00a0") for word in words),
        COLUMNS,
        initial_indent=head,
        subsequent_indent=" " * len(head),
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [line.replace("\u00a0", " ") for line in lines]
