"""Warns of an attribute that is set and has no function yet: it is stored and shown, no more.

Called before the definition is made, so that a program that turns warnings into errors has changed
nothing when the warning is raised.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable

from ternmq.base.attributes import BY_NAME, Attribute, Value
from ternmq.base.errors import InertAttribute

_OWN_MODULES = ("ternmq.api.", "ternmq.host.", "ternmq.remote.", "ternmq.runtime.", "ternmq.aio")


def warn_inert(object_type: int, name: str, given: dict[str, object]) -> None:
    """DEFINE, and ALTER QMGR: warn for each inert attribute with another value than its default."""
    rows = BY_NAME[object_type]
    named = ((rows.get(key) or rows.get(key.upper()), value) for key, value in given.items())
    _warn(name, ((row, value) for row, value in named if row is not None))


def warn_inert_values(object_type: int, name: str, values: dict[int, Value]) -> None:
    """MQSET."""
    rows = {row.selector: row for row in BY_NAME[object_type].values()}
    _warn(name, ((rows[key], value) for key, value in values.items() if key in rows))


def _warn(name: str, settings: Iterable[tuple[Attribute, object]]) -> None:
    for row, value in settings:
        if not row.inert:
            continue
        try:
            checked = row.checked(value)
        except ValueError:
            continue  # the verb itself will say what is wrong
        if checked != row.default:
            _issue(InertAttribute(name, row.name, row.keyword, row.shown(checked)))


def _issue(warning: InertAttribute) -> None:
    """As `warnings.warn`, placed at the application's line: compiled functions have no frames, so
    no fixed number of levels would find it in both builds."""
    frame = sys._getframe(1)
    while frame.f_back is not None and _is_own(frame.f_globals.get("__name__", "")):
        frame = frame.f_back
    warnings.warn_explicit(
        warning,
        InertAttribute,
        frame.f_code.co_filename,
        frame.f_lineno,
        frame.f_globals.get("__name__", "<unknown>"),
        frame.f_globals.setdefault("__warningregistry__", {}),
    )


def _is_own(module: str) -> bool:
    return module.startswith(_OWN_MODULES)
