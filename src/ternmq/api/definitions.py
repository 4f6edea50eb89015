"""Definitions as commands: DEFINE, ALTER, DELETE, CLEAR and DISPLAY, the same for every transport.

A method such as `define_queue(name, max_depth=5)` makes the `Command` that MQSC and PCF make. What
the queue manager refuses comes back as an answer and is raised here.
"""

from __future__ import annotations

from typing import Any, Final

from ternmq.api.handles import checked_name
from ternmq.base import attributes as schema
from ternmq.base import command_reasons as rccf
from ternmq.base.attributes import Attribute, Value, checked_attributes, row_of
from ternmq.base.errors import mq_error
from ternmq.base.object_types import ALIAS, BY_BIT, LOCAL, MODEL, QMGR, REMOTE
from ternmq.base.reasons import (
    MQRC_NOT_AUTHORIZED,
    MQRC_OBJECT_ALREADY_EXISTS,
    MQRC_OBJECT_IN_USE,
    MQRC_SELECTOR_ERROR,
    MQRC_UNKNOWN_OBJECT_NAME,
)
from ternmq.values.calls.administration import RunCommands
from ternmq.values.command import Answer, Command

NOUNS: Final = {"QLOCAL": LOCAL, "QALIAS": ALIAS, "QMODEL": MODEL, "QREMOTE": REMOTE}
# Commands have codes of their own for what verbs call by these.
_REASONS: Final = {
    rccf.MQRCCF_OBJECT_OPEN: MQRC_OBJECT_IN_USE,
    rccf.MQRCCF_OBJECT_ALREADY_EXISTS: MQRC_OBJECT_ALREADY_EXISTS,
}
_OTHER_TYPE: Final = (rccf.MQRCCF_OBJECT_WRONG_TYPE, rccf.MQRCCF_Q_WRONG_TYPE)


# ---- commands


def _warn_inert(object_type: int, name: str, given: dict[str, Any]) -> None:
    from ternmq.api.inert_attributes import warn_inert  # few define

    warn_inert(object_type, name, given)


def define(object_type: int, name: str, given: dict[str, Any], replace: bool) -> RunCommands:
    """DEFINE."""
    _check(object_type, name, given, "DEFINE")
    _warn_inert(object_type, name, given)
    command = Command("DEFINE", BY_BIT[object_type].noun, checked_name(name))
    command.given = _settings(object_type, given)
    command.given["REPLACE" if replace else "NOREPLACE"] = ""
    return RunCommands([command], verb="DEFINE")


def alterations(shown: RunCommands, name: str, given: dict[str, Any]) -> list[RunCommands]:
    """ALTER of a queue that was displayed. If the user may not see what type it has: one for each
    type that has these attributes, to be tried until one fits."""
    nouns = nouns_to_change(shown, name)
    fitting = [noun for noun in nouns if _fits(NOUNS[noun], given)] or nouns[:1]
    _check(NOUNS[fitting[0]], name, given, "ALTER")
    _warn_inert(NOUNS[fitting[0]], name, given)
    calls: list[RunCommands] = []
    for noun in fitting:
        command = Command("ALTER", noun, name)
        command.given = _settings(NOUNS[noun], given)
        calls.append(RunCommands([command], verb="ALTER"))
    return calls


def _fits(object_type: int, given: dict[str, Any]) -> bool:
    try:
        checked_attributes(object_type, given)
    except ValueError:
        return False
    return True


def alter_qmgr(name: str, given: dict[str, Any]) -> RunCommands:
    """ALTER QMGR."""
    _check(QMGR, name, given, "ALTER QMGR")
    _warn_inert(QMGR, name, given)
    command = Command("ALTER", "QMGR")
    command.given = _settings(QMGR, given)
    return RunCommands([command], verb="ALTER QMGR")


def delete(noun: str, name: str, purge: bool) -> RunCommands:
    """DELETE of a queue of this noun."""
    command = Command("DELETE", noun, checked_name(name))
    if purge and noun == "QLOCAL":
        command.given["PURGE"] = ""
    return RunCommands([command], verb="DELETE")


def deletions(shown: RunCommands, name: str, purge: bool) -> list[RunCommands]:
    """DELETE of a queue that was displayed, in the same way as ALTER."""
    return [delete(noun, name, purge) for noun in nouns_to_change(shown, name)]


def clear(name: str) -> RunCommands:
    """CLEAR QLOCAL."""
    return RunCommands([Command("CLEAR", "QLOCAL", checked_name(name))], verb="CLEAR")


def display(name: str, wanted: str, verb: str = "DISPLAY") -> RunCommands:
    """DISPLAY QUEUE of one queue; `verb` is what it is for. A generic name is not the name of
    one."""
    if "*" in checked_name(name):
        raise mq_error(MQRC_UNKNOWN_OBJECT_NAME, verb=verb, object=name)
    command = Command("DISPLAY", "QUEUE", name)
    command.wanted = [wanted]
    return RunCommands([command], verb=verb)


def display_all() -> RunCommands:
    """DISPLAY QUEUE(*)."""
    command = Command("DISPLAY", "QUEUE", "*")
    command.wanted = ["TYPE"]
    return RunCommands([command], verb="DISPLAY")


def display_qmgr() -> RunCommands:
    """DISPLAY QMGR ALL."""
    command = Command("DISPLAY", "QMGR")
    command.wanted = ["ALL"]
    return RunCommands([command], verb="DISPLAY")


def checked_commands(given: object) -> str:
    """MQSC commands as they were given; TypeError with the value if that is not text."""
    if not isinstance(given, str):
        fault = f"MQSC commands cannot be of type {type(given).__name__}: {given!r:.60}"
        raise TypeError(f"{fault}, give text such as 'DISPLAY QMGR'")
    return given


def _check(object_type: int, name: str, given: dict[str, Any], verb: str) -> None:
    """Refuse what the queue manager would, with the reasons that it has for its applications."""
    try:
        checked_attributes(object_type, given)
    except ValueError as error:
        is_known = all(row_of(object_type, key) is not None for key in given)
        reason = rccf.MQRCCF_ATTR_VALUE_ERROR if is_known else MQRC_SELECTOR_ERROR
        raise mq_error(reason, verb=verb, object=name, detail=str(error)) from error


def _settings(object_type: int, given: dict[str, Any]) -> dict[str, str]:
    """Keyword and value as MQSC has them; a bare word such as NOSHARE has no value."""
    found: dict[str, str] = {}
    for key, value in given.items():
        row = row_of(object_type, key)
        if row is not None:
            keyword, shown = setting(row, row.checked(schema.setting_of(row, key, value)))
            found[keyword] = shown
    return found


def setting(row: Attribute, value: Value) -> tuple[str, str]:
    """An attribute as a command gives it."""
    shown = row.shown(value)
    return (shown, "") if row.kind == schema.BARE else (row.keyword, shown)


# ---- answers


def check_done(call: RunCommands, name: str) -> None:
    """Raise what the queue manager refused."""
    for answer in call.answers:
        raise_if_failed(answer, call.verb, name)


def raise_if_failed(answer: Answer, verb: str, name: str) -> None:
    """The refusal of a command, with the reason that a verb would have."""
    if not answer.ok:
        reason = _REASONS.get(answer.reason, answer.reason)
        detail = answer.detail
        if reason == MQRC_OBJECT_ALREADY_EXISTS and not detail:
            detail = (
                "exist_ok=True leaves it as it is, alter_queue changes it, "
                "replace=True sets all attributes again"
            )
        raise mq_error(reason, verb=verb, object=name, detail=detail)


def is_there(call: RunCommands) -> bool:
    """Whether a DEFINE was refused because an object has that name already."""
    reasons = [_REASONS.get(one.reason, one.reason) for one in call.answers]
    return MQRC_OBJECT_ALREADY_EXISTS in reasons


def is_shown_as(object_type: int, call: RunCommands) -> bool:
    """Whether the user may see that queue, and it has this type."""
    return all(one.ok for one in call.answers) and any(
        NOUNS.get(str(one["TYPE"])) == object_type for one in call.answers
    )


def is_done(call: RunCommands, name: str, is_last: bool) -> bool:
    """Raise what the queue manager refused; False if the queue is of another type, unless it was
    the last one to try."""
    if not is_last and any(answer.reason in _OTHER_TYPE for answer in call.answers):
        return False
    check_done(call, name)
    return True


def nouns_to_change(call: RunCommands, name: str) -> list[str]:
    """The type of a queue that is to be altered or deleted; all types if the user may not see it:
    a user that may change a queue need not be allowed to display it."""
    if call.answers and call.answers[0].reason == MQRC_NOT_AUTHORIZED:
        return list(NOUNS)
    return [noun_of(call, name)]


def noun_of(call: RunCommands, name: str) -> str:
    """The type of a queue that was displayed: QLOCAL ..."""
    check_done(call, name)
    return str(call.answers[0]["TYPE"])


def attributes_of(call: RunCommands, name: str) -> dict[str, Value]:
    """All attributes of a queue that was displayed, by Python name."""
    return _by_name(call.answers[0], NOUNS[noun_of(call, name)])


def qmgr_attributes_of(call: RunCommands, name: str) -> dict[str, Value]:
    """The same for the queue manager."""
    check_done(call, name)
    return _by_name(call.answers[0], QMGR)


def names_of(call: RunCommands) -> list[str]:
    """The names of the queues that were displayed."""
    return sorted({str(one["QUEUE"]) for one in call.answers if "QUEUE" in one})


def _by_name(answer: Answer, object_type: int) -> dict[str, Value]:
    """What DISPLAY shows, by Python name and with the values that are stored."""
    found: dict[str, Value] = {}
    for item in answer.items:
        row = row_of(object_type, item.keyword)
        if row is None or row.shown_only:
            continue
        try:
            value = item.keyword if item.bare else str(item.value)
            found[row.name] = row.checked(value)
        except ValueError:
            found[row.name] = item.value  # of a queue manager that knows more words
    return found
