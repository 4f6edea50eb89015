"""The attribute schema: one table for every attribute of every type of object.

It drives define and alter (validation, defaults), MQINQ and MQSET (selectors), MQSC and PCF, and
the reference pages. Its rows stand in the `*_attribute_table` modules, in columns:

    name      in Python
    keyword   in MQSC
    constant  of MQINQ and PCF, without its MQ; `-` if it has no constant
    values    64: text of so many bytes; name48: the name of an object, or nothing; hex48: so many
              hexadecimal digits; list48x256: so many texts of so many bytes, joined by commas;
              0..9: a whole number; @set: one of the words of `word_table`; 0..9|@set: either;
              words@set: several of them; bare@set: the word stands alone, without brackets
    default   `-` is nothing
    types     which types of the table's family have it, one letter each; `*` is all
    flags     m: MQSET may change it; i: inert: stored, checked and shown, but without function
              yet; s: shown only; f: fixed by DEFINE; u: not altered while in use; x: secret

The order of rows is that of DISPLAY. Two types whose defaults differ have a row each.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.base import constants as mq
from ternmq.base import object_types as types
from ternmq.base.channel_attribute_table import CHANNELS
from ternmq.base.names import control_character, is_name
from ternmq.base.object_attribute_table import (
    AUTHENTICATION,
    AUTHORITIES,
    CHANNEL_RULES,
    COMMUNICATION,
    LISTENERS,
    NAMELISTS,
    PROCESSES,
    SERVICES,
    SUBSCRIPTIONS,
    TOPICS,
)
from ternmq.base.object_types import ALIAS as ALIAS
from ternmq.base.object_types import LOCAL as LOCAL
from ternmq.base.object_types import MODEL as MODEL
from ternmq.base.object_types import QMGR as QMGR
from ternmq.base.object_types import REMOTE
from ternmq.base.queue_attribute_table import QUEUE_MANAGER, QUEUES
from ternmq.base.word_table import WORD_SETS

TYPE_NAMES: Final[dict[int, str]] = {row.bit: row.text for row in types.OBJECT_TYPES}
SYNONYMS: Final = {"TARGQ": "TARGET"}
Value = int | str

TEXT: Final = "text"
NAME: Final = "name"
HEX: Final = "hex"
NUMBER: Final = "number"
WORD: Final = "word"  # one of the words, and no number
LIST: Final = "list"
WORDS: Final = "words"  # several words
BARE: Final = "bare"  # a word without brackets
STORED_AS_TEXT: Final = (TEXT, NAME, HEX, LIST, WORDS)


@final
class Attribute:
    """One row of the schema."""

    __slots__ = (
        "constant",
        "default",
        "fixed",
        "highest",
        "inert",
        "items_max",
        "keyword",
        "kind",
        "locked_in_use",
        "lowest",
        "name",
        "secret",
        "selector",
        "set_by_mqset",
        "shown_only",
        "text",
        "types",
        "words",
    )

    def __init__(self, name: str, keyword: str, constant: str, object_types: int) -> None:
        self.name = name
        self.keyword = keyword
        self.constant = constant  # its name; "" if it has none
        self.selector = 0  # its number
        self.types = object_types
        self.kind = TEXT
        self.text = True  # stored as text
        self.default: Value = ""
        self.lowest = 0
        self.highest = 0  # of a number; else the greatest length in bytes
        self.items_max = 1  # of a list
        self.words: dict[str, int] = {}
        self.set_by_mqset = False
        self.inert = False
        self.shown_only = False
        self.fixed = False
        self.locked_in_use = False
        self.secret = False

    def checked(self, value: object) -> Value:
        """The value as it is stored; ValueError says what is wrong with it."""
        if self.kind == LIST or self.kind == WORDS:
            return self._checked_list(value)
        if self.text:
            if not isinstance(value, str):
                raise ValueError(f"{self.keyword} takes text, not {value!r}")
            return self._checked_text(value.rstrip(" "))
        if isinstance(value, str):
            word = value.strip().upper()
            if word in self.words:
                return self.words[word]
            if self.kind == NUMBER and not _is_number(word):
                words = "".join([f" or {one}" for one in self.words])
                allowed = f"{self.lowest} to {self.highest}{words}"
                raise ValueError(f"{self.keyword} is {allowed}, not {value!r}")
            if self.kind != NUMBER:
                raise ValueError(f"{self.keyword} does not know {value!r}{self._choices()}")
            if len(word) > _DIGITS_MAX:
                raise ValueError(f"{self.keyword} is {self.lowest} to {self.highest}, no more")
            value = int(word)
        self._check_truth(value)
        if not isinstance(value, int):
            raise ValueError(f"{self.keyword} takes a whole number, not {value!r}")
        return self._checked_number(int(value))

    def _check_truth(self, value: object) -> None:
        """MQQA_GET_INHIBITED is 1: True would forbid what it seems to allow. Asked before the value
        is an int for the compiler, which forgets that it was a bool."""
        if isinstance(value, bool) and self.words.get("DISABLED") == 1:
            raise ValueError(f"{self.keyword} is ENABLED or DISABLED, not {value!r}")

    def _checked_number(self, number: int) -> int:
        if number in self.words.values():
            return number
        if self.kind != NUMBER:
            raise ValueError(f"{self.keyword} does not know {number}{self._choices()}")
        if number < self.lowest or number > self.highest:
            raise ValueError(f"{self.keyword} is {self.lowest} to {self.highest}, not {number}")
        return number

    def _checked_text(self, value: str) -> str:
        self._refuse_controls(value)
        if len(value.encode("utf-8")) > self.highest:
            raise ValueError(f"{self.keyword} takes at most {self.highest} bytes")
        if self.kind == NAME and value and not is_name(value):
            raise ValueError(f"{self.keyword} takes the name of an object, not {value!r}")
        if self.kind == HEX:
            value = value.upper()
            if not _HEX_DIGITS.issuperset(value):
                raise ValueError(f"{self.keyword} takes hexadecimal digits, not {value!r}")
        return value

    def _checked_list(self, value: object) -> str:
        parts: list[str] = []
        if isinstance(value, str):
            parts.extend(value.split(","))
        elif isinstance(value, (list, tuple)):
            parts.extend([str(one) for one in value])
        else:
            raise ValueError(f"{self.keyword} takes a list of texts, not {value!r}")
        items = [one.strip(" ") for one in parts]
        items = [one for one in items if one]
        if len(items) > self.items_max:
            raise ValueError(f"{self.keyword} takes at most {self.items_max} of them")
        if self.kind == WORDS:
            return ",".join([self._checked_word(one) for one in items])
        for one in items:
            self._refuse_controls(one)
            if len(one.encode("utf-8")) > self.highest:
                raise ValueError(f"{self.keyword} takes at most {self.highest} bytes in each")
        return ",".join(items)

    def _refuse_controls(self, value: str) -> None:
        bad = control_character(value)
        if bad:
            raise ValueError(f"{self.keyword} takes no control characters, such as {bad!r}")

    def _checked_word(self, value: str) -> str:
        word = value.upper()
        if word in self.words:
            return word
        for known, number in self.words.items():
            if _is_number(word) and len(word) <= _DIGITS_MAX and number == int(word):
                return known
        raise ValueError(f"{self.keyword} does not know {value!r}{self._choices()}")

    def _choices(self) -> str:
        return f"; it is one of {', '.join(self.words)}" if self.words else ""

    def shown(self, value: Value) -> str:
        """The value as MQSC prints it."""
        if isinstance(value, int):
            for word, number in self.words.items():
                if number == value:
                    return word
        return str(value)


_DIGITS_MAX: Final = 40
_HEX_DIGITS: Final = frozenset("0123456789ABCDEF")


def _is_number(text: str) -> bool:
    return text.isdecimal() or (text[:1] == "-" and text[1:].isdecimal())


def _word_sets() -> dict[str, dict[str, int]]:
    sets: dict[str, dict[str, int]] = {}
    for line in WORD_SETS.splitlines():
        columns = line.split()
        if columns:
            words = sets.setdefault(columns[0], {})
            for column in columns[1:]:
                word, _, number = column.partition("=")
                words[word] = int(number)
    return sets


def _take_values(row: Attribute, values: str, sets: dict[str, dict[str, int]]) -> None:
    """The column of values."""
    numbers, at, words = values.partition("@")
    if at:
        row.words = sets[words]
        row.kind = {"bare": BARE, "words": WORDS, "": WORD}.get(numbers, NUMBER)
        row.items_max = len(row.words)
    if ".." in numbers:
        lowest, _, highest = numbers.rstrip("|").partition("..")
        row.kind = NUMBER
        row.lowest = int(lowest)
        row.highest = int(highest)
    elif numbers.startswith("list"):
        length, _, count = numbers[4:].partition("x")
        row.kind = LIST
        row.highest = int(length)
        row.items_max = int(count)
    elif not at:
        row.kind = NAME if numbers.startswith("name") else TEXT
        row.kind = HEX if numbers.startswith("hex") else row.kind
        row.highest = int(numbers.lstrip("namehx"))
    row.text = row.kind in STORED_AS_TEXT


def _take_flags(row: Attribute, flags: str) -> None:
    row.set_by_mqset = "m" in flags
    row.inert = "i" in flags
    row.shown_only = "s" in flags
    row.fixed = "f" in flags
    row.locked_in_use = "u" in flags
    row.secret = "x" in flags


def _rows(table: str, bits: tuple[int, ...], sets: dict[str, dict[str, int]]) -> list[Attribute]:
    """A table's rows; `bits` are the types of its family in the order of their column."""
    constants = vars(mq)
    everything = sum(bits)
    rows: list[Attribute] = []
    for line in table.splitlines():
        columns = line.split()
        if not columns:
            continue
        name, keyword, constant, values, default, letters = columns[:6]
        kinds = everything
        if letters != "*":
            kinds = sum([bit for bit, letter in zip(bits, letters, strict=True) if letter != "."])
        row = Attribute(name, keyword, "" if constant == "-" else "MQ" + constant, kinds)
        row.selector = int(constants[row.constant]) if row.constant else 0
        _take_values(row, values, sets)
        _take_flags(row, columns[6] if len(columns) > 6 else "")
        row.default = row.checked("" if default == "-" else default)
        rows.append(row)
    return rows


_CHANNEL_BITS: Final = (
    types.SENDER,
    types.SERVER,
    types.RECEIVER,
    types.REQUESTER,
    types.CLNTCONN,
    types.SVRCONN,
    types.CLUSSDR,
    types.CLUSRCVR,
    types.AMQP,
)


def _all_rows() -> tuple[Attribute, ...]:
    sets = _word_sets()
    rows = _rows(QUEUES, (LOCAL, MODEL, ALIAS, REMOTE), sets)
    rows += _rows(QUEUE_MANAGER, (QMGR,), sets)
    rows += _rows(CHANNELS, _CHANNEL_BITS, sets)
    rows += _rows(AUTHENTICATION, (types.CRLLDAP, types.OCSP, types.IDPWOS, types.IDPWLDAP), sets)
    for table, bit in (
        (TOPICS, types.TOPIC),
        (SUBSCRIPTIONS, types.SUB),
        (PROCESSES, types.PROCESS),
        (NAMELISTS, types.NAMELIST),
        (LISTENERS, types.LISTENER),
        (SERVICES, types.SERVICE),
        (COMMUNICATION, types.COMMINFO),
        (CHANNEL_RULES, types.CHLAUTH),
        (AUTHORITIES, types.AUTHREC),
    ):
        rows += _rows(table, (bit,), sets)
    return tuple(rows)


ATTRIBUTES: Final[tuple[Attribute, ...]] = _all_rows()


def _of_types() -> dict[int, list[Attribute]]:
    found: dict[int, list[Attribute]] = {row.bit: [] for row in types.OBJECT_TYPES}
    for row in ATTRIBUTES:
        for bit, rows in found.items():
            if row.types & bit:
                rows.append(row)
    return found


OF_TYPE: Final[dict[int, list[Attribute]]] = _of_types()


def attributes_of(object_type: int) -> list[Attribute]:
    """The rows of one object type, in the order of DISPLAY."""
    return OF_TYPE[object_type]


def _by_name(rows: list[Attribute]) -> dict[str, Attribute]:
    found: dict[str, Attribute] = {}
    for row in rows:
        found[row.name] = row
        found[row.keyword] = row
        if row.kind == BARE:
            for word in row.words:
                found[word] = row
    for synonym, keyword in SYNONYMS.items():
        if keyword in found:
            found[synonym] = found[keyword]
    return found


# by type: rows by Python name, by MQSC keyword, by its synonyms and by bare words such as NOSHARE
BY_NAME: Final[dict[int, dict[str, Attribute]]] = {
    kind: _by_name(rows) for kind, rows in OF_TYPE.items()
}
BY_SELECTOR: Final[dict[int, dict[int, Attribute]]] = {
    kind: {row.selector: row for row in rows if row.selector} for kind, rows in OF_TYPE.items()
}
_DEFAULTS: Final[dict[int, dict[str, Value]]] = {
    kind: {row.name: row.default for row in rows if not row.shown_only}
    for kind, rows in OF_TYPE.items()
}


def defaults_of(object_type: int) -> dict[str, Value]:
    """Every attribute of a type that is stored, with its default."""
    return _DEFAULTS[object_type].copy()


def row_of(object_type: int, name: str) -> Attribute | None:
    """The row of a Python name, an MQSC keyword or a bare word."""
    rows = BY_NAME[object_type]
    return rows.get(name) or rows.get(name.upper())


def setting_of(row: Attribute, name: str, value: object) -> object:
    """What was given: a bare word is its own value, NOSHARE as well as SHARE(NO)."""
    if row.kind == BARE and name.upper() in row.words and value in ("", None):
        return name
    return value


def checked_attributes(object_type: int, given: dict[str, object]) -> dict[str, Value]:
    """Given values under their Python names, each checked; ValueError names the attribute."""
    result: dict[str, Value] = {}
    for name, value in given.items():
        row = row_of(object_type, name)
        if row is None:
            from ternmq.base.similar import did_you_mean  # few make a mistake

            known = sorted([one.name for one in OF_TYPE[object_type]])
            hint = did_you_mean(name, known) or f"It has {', '.join(known)}."
            raise ValueError(f"a {TYPE_NAMES[object_type]} has no attribute {name!r}. {hint}")
        if row.shown_only:
            raise ValueError(f"{row.keyword} is shown only; it cannot be set")
        result[row.name] = row.checked(setting_of(row, name, value))
    return result
