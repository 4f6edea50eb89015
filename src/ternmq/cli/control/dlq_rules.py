"""The rules table of runmqdlq: what to do with which message of a dead-letter queue.

    * a comment
    INPUTQ('SYSTEM.DEAD.LETTER.QUEUE') INPUTQM(QM1) RETRYINT(30) WAIT(NO)
    REASON(MQRC_Q_FULL) ACTION(RETRY) RETRY(5)
    DESTQ(ORDERS.*) FORMAT('MQSTR') +
        ACTION(FWD) FWDQ(&DESTQ) FWDQM(BACKUP) HEADER(NO)
    ACTION(FWD) FWDQ(FOR.PEOPLE) HEADER(YES)

A rule is one line; `+` at its end goes on at the first non-blank character of the next, `-`
at its very beginning. Keywords have no case. The first line may be about the table itself. A rule
without a pattern matches every message. Texts may hold `*` (anything) and `?` (one character);
numbers may be given by their names.
"""

from __future__ import annotations

import re
from typing import Final

from ternmq.base import constants_all
from ternmq.base.message_table import message_line
from ternmq.codec.headers.mqdlh import DeadLetterHeader
from ternmq.codec.mqi.mqmd import Descriptor

DISCARD: Final = "DISCARD"
IGNORE: Final = "IGNORE"
RETRY: Final = "RETRY"
FORWARD: Final = "FWD"
ACTIONS: Final = (DISCARD, IGNORE, RETRY, FORWARD)

RETRY_INTERVAL_S_DEFAULT: Final = 60
_RETRIES_MAX: Final = 999_999_999
_TABLE_KEYS: Final = ("INPUTQ", "INPUTQM", "RETRYINT", "WAIT")
# keyword -> greatest length
_TEXT_PATTERNS: Final = {
    "APPLIDAT": 32,
    "APPLNAME": 28,
    "DESTQ": 48,
    "DESTQM": 48,
    "FORMAT": 8,
    "REPLYQ": 48,
    "REPLYQM": 48,
    "USERID": 12,
}
# keyword -> beginnings of the names that its numbers have
_NUMBER_PATTERNS: Final = {
    "APPLTYPE": ("MQAT_",),
    "FEEDBACK": ("MQFB_", "MQRC_"),
    "MSGTYPE": ("MQMT_",),
    "PERSIST": ("MQPER_",),
    "REASON": ("MQRC_", "MQFB_"),
}
_ACTION_KEYS: Final = ("ACTION", "FWDQ", "FWDQM", "HEADER", "PUTAUT", "RETRY")
_PARAMETER: Final = re.compile(r"\s*,?\s*([A-Za-z]+)\s*\(\s*('(?:[^']|'')*'|[^()']*?)\s*\)\s*;?")


class RuleError(Exception):
    """A line that is not a rule: where, and the message that says why."""

    def __init__(self, line: int, message_id: str, inserts: tuple[object, ...]) -> None:
        super().__init__(f"line {line}: {message_line(message_id, inserts)}")
        self.line = line


class Rule:
    """One rule."""

    def __init__(self, line: int) -> None:
        self.line = line
        self.texts: dict[str, re.Pattern[str]] = {}
        self.numbers: dict[str, int] = {}
        self.action = ""
        self.forward_queue = ""
        self.forward_qmgr = ""
        self.keeps_header = True
        self.as_sender = False  # PUTAUT(CTX): the user of the message must have the authority
        self.tries = 1

    def matches(self, md: Descriptor, header: DeadLetterHeader) -> bool:
        """Whether the rule is about this message."""
        for keyword, pattern in self.texts.items():
            if not pattern.fullmatch(_text_of(keyword, md, header).rstrip(" \0")):
                return False
        return all(
            _number_of(keyword, md, header) == number for keyword, number in self.numbers.items()
        )

    def target(self, md: Descriptor, header: DeadLetterHeader) -> tuple[str, str]:
        """Queue and queue manager that the message goes to."""
        if self.action == RETRY:
            return header.destination_queue, header.destination_qmgr
        known = {
            "&DESTQ": header.destination_queue,
            "&REPLYQ": md.reply_to_queue,
            "&DESTQM": header.destination_qmgr,
            "&REPLYQM": md.reply_to_qmgr,
        }
        queue = known.get(self.forward_queue.upper(), self.forward_queue)
        return queue, known.get(self.forward_qmgr.upper(), self.forward_qmgr)


class RulesTable:
    """All rules, in their order, and what the table says about itself."""

    def __init__(self) -> None:
        self.queue = ""
        self.qmgr = ""
        self.retry_interval_s = RETRY_INTERVAL_S_DEFAULT
        self.wait_s: float = -1.0  # without end
        self.rules: list[Rule] = []


def read_table(text: str) -> tuple[RulesTable, list[RuleError]]:
    """The table, and every mistake in it."""
    table = RulesTable()
    errors: list[RuleError] = []
    for number, line in logical_lines(text):
        try:
            given = _parameters(number, line)
            if any(key in _TABLE_KEYS for key in given):
                _take_table(table, number, given)
            else:
                table.rules.append(_rule(number, given))
        except RuleError as error:
            errors.append(error)
    return table, errors


def logical_lines(text: str) -> list[tuple[int, str]]:
    """Lines with what continues them, and where each begins; without comments."""
    lines: list[tuple[int, str]] = []
    begun: tuple[int, str, str] | None = None  # where, what so far, how it goes on
    for number, written in enumerate(text.splitlines(), 1):
        if begun is None and (not written.strip() or written.startswith("*")):
            continue
        line = written.rstrip()
        start = number
        if begun is not None:
            start = begun[0]
            line = begun[1] + (line.lstrip() if begun[2] == "+" else line)
        if line[-1:] in ("+", "-"):
            begun = (start, line[:-1], line[-1])
        else:
            begun = None
            lines.append((start, line))
    if begun is not None:
        lines.append((begun[0], begun[1]))
    return lines


def _parameters(number: int, line: str) -> dict[str, str]:
    given: dict[str, str] = {}
    at = 0
    while line[at:].strip(" ,;"):
        match = _PARAMETER.match(line, at)
        if match is None:
            raise RuleError(number, "AMQ8756E", (line[at:].strip(), number))
        keyword = match[1].upper()
        value = match[2]
        if keyword in given:
            raise RuleError(number, "AMQ8753E", (keyword, number))
        if value.startswith("'"):
            value = value[1:-1].replace("''", "'")
        given[keyword] = value.rstrip()
        at = match.end()
    return given


def _take_table(table: RulesTable, number: int, given: dict[str, str]) -> None:
    strange = [key for key in given if key not in _TABLE_KEYS]
    if strange or table.rules:
        raise RuleError(number, "AMQ8759E", (number,))
    table.queue = given.get("INPUTQ", "")
    table.qmgr = given.get("INPUTQM", "")
    if "RETRYINT" in given:
        table.retry_interval_s = _whole(number, "RETRYINT", given["RETRYINT"])
    wait = given.get("WAIT", "YES").upper()
    if wait == "NO":
        table.wait_s = 0.0
    elif wait != "YES":
        table.wait_s = float(_whole(number, "WAIT", wait))


def _rule(number: int, given: dict[str, str]) -> Rule:
    rule = Rule(number)
    for keyword, value in given.items():
        if keyword in _TEXT_PATTERNS:
            if len(value) > _TEXT_PATTERNS[keyword]:
                raise RuleError(number, "AMQ8752E", (keyword, number))
            rule.texts[keyword] = _pattern(value)
        elif keyword in _NUMBER_PATTERNS:
            if value != "*":
                rule.numbers[keyword] = _named_number(number, keyword, value)
        elif keyword not in _ACTION_KEYS:
            raise RuleError(number, "AMQ8756E", (keyword, number))
    _take_action(rule, number, given)
    return rule


def _take_action(rule: Rule, number: int, given: dict[str, str]) -> None:
    rule.action = given.get("ACTION", "").upper()
    if rule.action not in ACTIONS:
        raise RuleError(number, "AMQ8756E", (f"ACTION({rule.action})", number))
    rule.forward_queue = given.get("FWDQ", "")
    rule.forward_qmgr = given.get("FWDQM", "")
    header = given.get("HEADER", "YES").upper()
    putaut = given.get("PUTAUT", "DEF").upper()
    if header not in ("YES", "NO") or putaut not in ("DEF", "CTX"):
        raise RuleError(number, "AMQ8756E", (f"HEADER({header}) PUTAUT({putaut})", number))
    rule.keeps_header = header == "YES"
    rule.as_sender = putaut == "CTX"
    rule.tries = _whole(number, "RETRY", given.get("RETRY", "1"), low=1)
    forwards = rule.action == FORWARD
    if forwards != bool(rule.forward_queue) or (
        not forwards and (rule.forward_qmgr or "HEADER" in given)
    ):
        raise RuleError(number, "AMQ8759E", (number,))


def _pattern(value: str) -> re.Pattern[str]:
    parts = (".*" if one == "*" else "." if one == "?" else re.escape(one) for one in value)
    return re.compile("".join(parts), re.DOTALL)


def _whole(number: int, keyword: str, value: str, low: int = 0) -> int:
    if not value.isdigit() or not low <= int(value) <= _RETRIES_MAX:
        raise RuleError(number, "AMQ8747E", (f"{keyword}({value})", number))
    return int(value)


def _named_number(number: int, keyword: str, value: str) -> int:
    if value.lstrip("-").isdigit():
        return int(value)
    if value.upper().startswith(_NUMBER_PATTERNS[keyword]):
        known = getattr(constants_all, value.upper(), None)
        if isinstance(known, int):
            return known
    raise RuleError(number, "AMQ8756E", (f"{keyword}({value})", number))


def _text_of(keyword: str, md: Descriptor, header: DeadLetterHeader) -> str:
    return {
        "APPLIDAT": md.appl_identity_data,
        "APPLNAME": header.put_appl_name,
        "DESTQ": header.destination_queue,
        "DESTQM": header.destination_qmgr,
        "FORMAT": header.format,
        "REPLYQ": md.reply_to_queue,
        "REPLYQM": md.reply_to_qmgr,
        "USERID": md.user_id,
    }[keyword]


def _number_of(keyword: str, md: Descriptor, header: DeadLetterHeader) -> int:
    return {
        "APPLTYPE": header.put_appl_type,
        "FEEDBACK": md.feedback,
        "MSGTYPE": md.msg_type,
        "PERSIST": md.persistence,
        "REASON": header.reason,
    }[keyword]
