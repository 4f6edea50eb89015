"""The terminal of runmqsc: a prompt, lines that can be edited, history, and completion by TAB.

Completion knows the actions, what each takes, the keywords of the command so far, and the words
that an attribute may have.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from ternmq.admin.command_table import ACTIONS, NOUN_SYNONYMS, SYNONYMS, nouns_of, row_of
from ternmq.admin.mqsc.parser import full_word, keywords_of
from ternmq.base.message_table import message_line
from ternmq.cli.output import write

HISTORY_LINES: Final = 1000
_PROMPT: Final = "MQPROMPT"


def prompt_text(qmgr_name: str) -> str:
    """MQPROMPT, with what stands between + signs filled in: +QMNAME+, +USER+."""
    text = os.environ.get(_PROMPT, "")
    return text.replace("+QMNAME+", qmgr_name).replace("+USER+", os.environ.get("USER", ""))


def history_path() -> Path:
    """Where the lines of earlier runs are kept."""
    state = os.environ.get("XDG_STATE_HOME", "") or str(Path.home() / ".local" / "state")
    return Path(state) / "ternmq" / "runmqsc_history"


def typed_lines(qmgr_name: str) -> Iterator[str]:
    """Lines from the terminal, until its end."""
    path = _begin_editing()
    prompt = prompt_text(qmgr_name)
    try:
        while True:
            try:
                yield input(prompt)
            except EOFError:
                write()
                return
    finally:
        _keep_history(path)


def _begin_editing() -> Path | None:
    try:
        import readline
    except ImportError:  # a Python without it
        write(message_line("AMQ8521I"))
        return None
    path = history_path()
    if path.exists():
        readline.read_history_file(path)
    readline.set_history_length(HISTORY_LINES)
    readline.set_completer_delims(" (),")
    readline.set_completer(_completion)
    readline.parse_and_bind("tab: complete")
    return path


def _keep_history(path: Path | None) -> None:
    if path is None:
        return
    import readline

    path.parent.mkdir(parents=True, exist_ok=True)
    readline.write_history_file(path)


def _completion(word: str, state: int) -> str | None:
    import readline

    found = completions(readline.get_line_buffer()[: readline.get_begidx()], word)
    return found[state] if state < len(found) else None


def completions(before: str, word: str) -> list[str]:
    """What the word may become, given the line before it; in the case that the word is in."""
    fitting = [one for one in _choices(before.upper()) if one.startswith(word.upper())]
    return [one.lower() for one in fitting] if word.islower() else fitting


def _choices(before: str) -> list[str]:
    words = before.replace("(", " ( ").replace(")", " ) ").replace(",", " ").split()
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
    return _values(row.parameters.get(words[-2], ""), words[-2], row.types)


def _values(kind: str, keyword: str, bits: int) -> list[str]:
    """The words that may stand in the brackets of a keyword."""
    if "|" in kind:
        return kind.split("|")
    from ternmq.base.attributes import ATTRIBUTES
    from ternmq.base.object_types import OBJECT_TYPES

    if keyword in ("CHLTYPE", "AUTHTYPE", "TYPE"):
        return [one.noun for one in OBJECT_TYPES if one.bit & bits]
    words: list[str] = []
    for row in ATTRIBUTES:
        if row.keyword == keyword and row.types & bits:
            words.extend(word for word in row.words if word not in words)
    return words
