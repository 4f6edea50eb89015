"""The table of commands: one row for each action and noun.

A row says what runs the command, its PCF number, the authority it needs and on what, the message
that reports its success, whether its name may be generic, and which parameters it has beside the
attributes of its objects (those are in `base.attributes`). MQSC, PCF, the authority check, the
documentation and the tests read it; `command_rows` is its text.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.admin import command_rows as text
from ternmq.base import object_types as types
from ternmq.base.own_constants import constant_named

# What may stand in the brackets of a parameter; else the words that may, parted by |.
BARE: Final = "-"
NAME: Final = "n"
NUMBER: Final = "#"
FILTER: Final = "?"

# On what a command needs its authority.
ON_OBJECT: Final = "object"
ON_QUEUE_MANAGER: Final = "queue manager"


@final
class CommandRow:
    """One command."""

    __slots__ = (
        "action",
        "authority",
        "authority_on",
        "generic",
        "message",
        "named",
        "noun",
        "parameters",
        "pcf",
        "required",
        "runs",
        "types",
    )

    def __init__(
        self,
        action: str,
        noun: str,
        runs: str,
        pcf: int,
        authority: str,
        message: str,
        types: int,
        parameters: dict[str, str],
        required: tuple[str, ...],
    ) -> None:
        self.action = action
        self.noun = noun
        self.runs = runs  # the key of what carries it out, in `execute`
        self.pcf = pcf  # MQCMD_
        self.authority = authority  # as in SET AUTHREC: DSP, CHG, CRT, DLT, CLR, CTRL, CTRLX
        self.authority_on = ON_OBJECT
        self.message = message  # what a success says; for DISPLAY the head of each object
        self.types = types  # bits of base.object_types whose attributes are its parameters
        self.parameters = parameters
        self.required = required  # "A/B": one of the two must be there
        self.named = True  # a name in brackets follows the noun
        self.generic = action == "DISPLAY" or noun in ("QSTATS", "CLUSTER", "TRACE")


def _parameters(words: list[str]) -> dict[str, str]:
    pairs = [word.split(":", 1) for word in words if not word.startswith("!")]
    return {one[0]: one[1] for one in pairs}


def _required(words: list[str]) -> tuple[str, ...]:
    return tuple(word[1:] for word in words if word.startswith("!"))


def _pcf(name: str) -> int:
    return constant_named(f"MQCMD_{name}")


def _types(name: str) -> int:
    bits: int = getattr(types, name)
    return bits


def _object_rows(line: str) -> list[CommandRow]:
    noun, kind, pcf, created, changed, deleted, shown, needed = line.split()
    bits = _types(kind)
    required = () if needed == "-" else (needed,)
    define = _parameters(
        ["LIKE:n", "REPLACE:-", "NOREPLACE:-", *text.DEFINE_PARAMETERS.get(noun, "").split()]
    )
    alter = _parameters(["FORCE:-", "NOFORCE:-", *text.ALTER_PARAMETERS.get(noun, "").split()])
    delete = _parameters(["IGNSTATE:YES|NO", *text.DELETE_PARAMETERS.get(noun, "").split()])
    display = _parameters(text.DISPLAY_PARAMETERS.get(noun, "").split())
    alter_needs = required if needed in ("CHLTYPE", "AUTHTYPE") else ()
    rows: list[CommandRow] = []
    for action, verb, authority, message, parameters, needs in (
        ("DEFINE", "CREATE", "CRT", created, define, required),
        ("ALTER", "CHANGE", "CHG", changed, alter, alter_needs),
        ("DELETE", "DELETE", "DLT", deleted, delete, ()),
        ("DISPLAY", "INQUIRE", "DSP", shown, display, ()),
    ):
        number = _pcf(f"{verb}_{pcf}")
        rows.append(
            CommandRow(
                action,
                noun,
                f"{action.lower()} sub" if noun == "SUB" else action.lower(),
                number,
                authority,
                message,
                bits,
                parameters,
                needs,
            )
        )
    return rows


def _other_row(line: str) -> CommandRow:
    words = line.split()
    action, noun, runs, pcf, authority, where, message = words[:7]
    bits = 0
    if noun in ("QUEUE", "QCLUSTER"):
        bits = types.QUEUES
    elif noun == "TCLUSTER":
        bits = types.TOPIC
    elif noun == "QMGR" and action in ("ALTER", "DISPLAY"):
        bits = types.QMGR
    elif noun == "CHLAUTH" and action == "SET":
        bits = types.CHLAUTH
    more = words[7:]
    row = CommandRow(
        action,
        noun,
        runs.replace("_", " "),
        _pcf(pcf),
        authority,
        message,
        bits,
        _parameters(more),
        _required(more),
    )
    row.named = where != "q"
    if where != "o":
        row.authority_on = ON_QUEUE_MANAGER
    return row


def _table() -> dict[tuple[str, str], CommandRow]:
    rows: list[CommandRow] = []
    for line in text.OBJECTS.strip().splitlines():
        rows.extend(_object_rows(line))
    lines = text.OTHERS.strip().replace("\n    ", " ").splitlines()
    rows.extend([_other_row(line) for line in lines])
    return {(row.action, row.noun): row for row in rows}


COMMANDS: Final[dict[tuple[str, str], CommandRow]] = _table()
ACTIONS: Final[tuple[str, ...]] = tuple(sorted({action for action, _ in COMMANDS}))
SYNONYMS: Final[dict[str, str]] = {
    "ALT": "ALTER",
    "DEF": "DEFINE",
    "DEL": "DELETE",
    "DIS": "DISPLAY",
    "REF": "REFRESH",
    "STA": "START",
}
NOUN_SYNONYMS: Final[dict[str, str]] = {
    "CHL": "CHANNEL",
    "CHS": "CHSTATUS",
    "LSTR": "LISTENER",
    "NL": "NAMELIST",
    "PRO": "PROCESS",
    "Q": "QUEUE",
    "QA": "QALIAS",
    "QC": "QCLUSTER",
    "QL": "QLOCAL",
    "QM": "QMODEL",
    "QR": "QREMOTE",
    "QS": "QSTATUS",
    "SBS": "SBSTATUS",
    "SEC": "SECURITY",
    "TPS": "TPSTATUS",
}


def nouns_of(action: str) -> list[str]:
    """What an action can be done to, sorted."""
    return sorted(noun for one, noun in COMMANDS if one == action)


def row_of(action: str, noun: str) -> CommandRow | None:
    """The row of a command in full words."""
    return COMMANDS.get((action, noun))
