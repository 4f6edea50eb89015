"""The command lines of setmqaut, dspmqaut and dmpmqaut, and how a refusal ends them.

They are not ordinary options: `-put` takes an authority away, `-p ut` names a user. A word that is
an authority is always that; else a letter may stand right before its value (`-mQM1`).
"""

from __future__ import annotations

from typing import Final

from ternmq.base import reasons
from ternmq.base.command_reasons import (
    MQRCCF_AUTH_VALUE_ERROR,
    MQRCCF_PROFILE_NAME_ERROR,
    MQRCCF_PROFILE_NAME_MISSING,
)
from ternmq.base.message_table import message_line
from ternmq.cli.control import tool_status
from ternmq.cli.output import write_error
from ternmq.security.authorities import BY_WORD, COLLECTIVE, KIND_BY_WORD, Kind
from ternmq.values.command import Answer

UNKNOWN_OBJECT: Final = 133
UNEXPECTED_NAME: Final = 145
NAME_MISSING: Final = 146
TYPE_MISSING: Final = 147
BAD_TYPE: Final = 148
ENTITY_MISSING: Final = 149
AUTHORITY_MISSING: Final = 150
BAD_AUTHORITY: Final = 151

_VALUES: Final = "mntspg"
_REASONS: Final[dict[int, int]] = {
    reasons.MQRC_NOT_AUTHORIZED: tool_status.NOT_AUTHORIZED,
    reasons.MQRC_UNKNOWN_ENTITY: ENTITY_MISSING,
    reasons.MQRC_UNKNOWN_OBJECT_NAME: UNKNOWN_OBJECT,
    MQRCCF_AUTH_VALUE_ERROR: BAD_AUTHORITY,
    MQRCCF_PROFILE_NAME_ERROR: tool_status.BAD_ARGUMENTS,
    MQRCCF_PROFILE_NAME_MISSING: NAME_MISSING,
}


class BadArguments(Exception):
    """What is wrong, as a message, and the exit status for it."""

    def __init__(self, status: int, message_id: str, *inserts: str) -> None:
        super().__init__(message_line(message_id, inserts))
        self.status = status


class Arguments:
    """What was typed."""

    def __init__(self, argv: list[str], flags: str = "") -> None:
        self.qmgr = ""
        self.profile = ""
        self.object_type = ""
        self.principals: list[str] = []
        self.groups: list[str] = []
        self.add: list[str] = []
        self.remove: list[str] = []
        self.remove_profile = False
        self.json = False
        self.flags: set[str] = set()
        words = list(argv)
        while words:
            word = words.pop(0)
            if word == "--json":
                self.json = True
            elif word[:1] in "+-" and _is_authority(word[1:]):
                (self.add if word[0] == "+" else self.remove).append(word[1:].lower())
            elif word == "-remove":
                self.remove_profile = True
            elif len(word) == 2 and word[0] == "-" and word[1] in flags:
                self.flags.add(word[1])
            else:
                self._value(word, words)

    def _value(self, word: str, words: list[str]) -> None:
        letter = word[1:2]
        if word[:1] == "+":
            raise BadArguments(BAD_AUTHORITY, "AMQ7096E", word)
        if word[:1] != "-" or not letter or letter not in _VALUES:
            raise BadArguments(tool_status.BAD_ARGUMENTS, "AMQ7095E", word)
        value = word[2:]
        if not value:
            if not words:
                raise BadArguments(tool_status.BAD_ARGUMENTS, "AMQ7095E", word)
            value = words.pop(0)
        if letter == "m":
            self.qmgr = value
        elif letter == "n":
            self.profile = value
        elif letter == "t":
            self.object_type = value
        elif letter == "p":
            self.principals.append(value)
        elif letter == "g":
            self.groups.append(value)
        # -s names a service component: there is one, and it is the default

    def kind(self, required: bool = True) -> Kind | None:
        """-t, checked against -n."""
        if not self.object_type:
            if required:
                raise BadArguments(TYPE_MISSING, "AMQ7093E")
            return None
        kind = KIND_BY_WORD.get(self.object_type.lower())
        if kind is None:
            raise BadArguments(BAD_TYPE, "AMQ7094E", self.object_type)
        if kind.word == "qmgr" and self.profile not in ("", "@class", "self", self.qmgr):
            raise BadArguments(UNEXPECTED_NAME, "AMQ7091E")
        if required and kind.word != "qmgr" and not self.profile:
            raise BadArguments(NAME_MISSING, "AMQ7092E")
        return kind

    def entities(self) -> list[tuple[str, str]]:
        """PRINCIPAL or GROUP, and the name."""
        users = [("PRINCIPAL", name) for name in self.principals]
        return users + [("GROUP", name) for name in self.groups]


def _is_authority(word: str) -> bool:
    return word.lower() in BY_WORD or word.lower() in COLLECTIVE


def report_refusals(answers: list[Answer]) -> int:
    """Say what was refused; the exit status."""
    for answer in answers:
        if not answer.ok:
            message, inserts = answer.message, answer.inserts
            if answer.reason == reasons.MQRC_UNKNOWN_ENTITY:
                message = "AMQ7026E"  # as the control commands call it
            write_error(message_line(message, inserts))
            if answer.detail:
                write_error(answer.detail)
            return _REASONS.get(answer.reason, tool_status.UNEXPECTED)
    return tool_status.OK
