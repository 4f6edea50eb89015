"""Goal: whatever name a program uses of pymqi or ibmmq is here, and takes the same arguments.

Method: tables of the names and signatures of both libraries beside this file; what is not here
stands in the docs under "Not here".
"""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from ternmq.compat import ibmmq, pymqi
from tools.layers import ROOT

pytestmark = pytest.mark.core

LIBRARIES = {"pymqi": pymqi, "ibmmq": ibmmq}
PAGE = ROOT / "docs" / "applications" / "compat-pymqi.md"


def rows(library: str) -> list[tuple[str, str]]:
    """Name and what it is: a signature, or `class`, `module`, `property`, `value`."""
    lines = (Path(__file__).parent / f"{library}_names.txt").read_text().splitlines()
    return [(line.partition(" ")[0], line.partition(" ")[2]) for line in lines]


def not_here() -> set[str]:
    """What the page says is not here."""
    section = PAGE.read_text(encoding="utf-8").partition("## Not here")[2].partition("\n## ")[0]
    return set(re.findall(r"`([\w.]+)`", section))


MISSING = object()


def find(library: ModuleType, name: str) -> Any:
    """What a dotted name stands for; MISSING if for nothing."""
    found: Any = library
    for part in name.split("."):
        found = inspect.getattr_static(found, part, MISSING)
        if isinstance(found, (staticmethod, classmethod)):
            found = found.__func__
    return found


def signature(function: Any) -> str:
    """Arguments with their defaults, without `self` and without types."""
    parts = [
        str(one.replace(annotation=inspect.Parameter.empty))
        for one in inspect.signature(function).parameters.values()
        if one.name != "self"
    ]
    return f"({', '.join(parts)})"


@pytest.mark.parametrize("library", LIBRARIES)
def test_every_name_is_here_or_said_not_to_be(library: str) -> None:
    module = LIBRARIES[library]
    missing = {name for name, _ in rows(library) if find(module, name) is MISSING}
    named = {name for name in missing if name.split(".")[0] not in missing or "." not in name}
    assert sorted(named - not_here()) == []


@pytest.mark.parametrize("library", LIBRARIES)
def test_signatures_are_the_same(library: str) -> None:
    module = LIBRARIES[library]
    different = []
    for name, reported in rows(library):
        found = find(module, name)
        if found is MISSING or not reported.startswith("("):
            continue
        ours = signature(found)
        if ours != reported and not is_a_wider_one(ours, reported):
            different.append(f"{name}{reported} is here {ours}")
    assert different == []


def is_a_wider_one(ours: str, reported: str) -> bool:
    """`**kw` takes every keyword, as a structure's does."""
    return ours == "(memlist, **kw)" and reported == "(**kw)"


@pytest.mark.parametrize("library", LIBRARIES)
def test_kinds_are_the_same(library: str) -> None:
    module = LIBRARIES[library]
    for name, reported in rows(library):
        found = find(module, name)
        if found is MISSING:
            continue
        if reported == "class":
            assert inspect.isclass(found), name
        elif reported == "module":
            assert inspect.ismodule(found), name
        elif reported == "property":
            assert isinstance(found, property), name


def test_what_is_said_not_to_be_here_is_not() -> None:
    for name in not_here():
        everywhere = [find(module, name) for module in LIBRARIES.values()]
        assert MISSING in everywhere, name


@pytest.mark.parametrize("library", LIBRARIES)
def test_all_is_complete(library: str) -> None:
    module = LIBRARIES[library]
    assert [name for name in module.__all__ if not hasattr(module, name)] == []
