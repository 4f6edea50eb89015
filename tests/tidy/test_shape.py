"""Goal: files and functions stay readable and findable.

Method: measure and name-check every Python file of the project. Complexity and sorted `__all__` are
ruff's (C901, RUF022), in `make check`.
"""

import ast
import re

import pytest

from tests.tidy.sources import all_sources, package_sources
from tools.layers import SOURCE

pytestmark = pytest.mark.timeout(120)  # they parse every file of the project

FILE_LINES_MAX = 600
FUNCTION_LINES_MAX = 60
BANNED = {
    "common",
    "handler",
    "handlers",
    "helper",
    "helpers",
    "manager",
    "misc",
    "service",
    "utils",
}


def test_files_are_short() -> None:
    long = [
        f"{source.name}: {lines} lines"
        for source in all_sources()
        if not source.is_generated and (lines := source.text.count("\n")) > FILE_LINES_MAX
    ]
    assert long == []


def test_functions_are_short() -> None:
    long = []
    for source in all_sources():
        for node in ast.walk(source.tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                if lines > FUNCTION_LINES_MAX:
                    long.append(f"{source.name}:{node.lineno} {node.name}: {lines} lines")
    assert long == []


def test_modules_open_with_a_docstring() -> None:
    silent = [source.name for source in all_sources() if not ast.get_docstring(source.tree)]
    assert silent == []


def test_packages_have_an_init() -> None:
    folders = {source.path.parent for source in package_sources()}
    assert [
        str(f.relative_to(SOURCE)) for f in sorted(folders) if not (f / "__init__.py").exists()
    ] == []


def test_module_names_say_something() -> None:
    banned = [
        source.name
        for source in all_sources()
        if source.path.stem in BANNED
        or source.path.stem.startswith("base_")
        or any(part in BANNED for part in source.path.parent.parts)
    ]
    assert banned == []


def test_every_limit_is_used() -> None:
    limits = [source for source in package_sources() if source.place == ("base", "limits")]
    names = {
        node.target.id
        for source in limits
        for node in source.tree.body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    }
    elsewhere = "\n".join(source.text for source in package_sources() if source not in limits)
    used = set(re.findall(r"\w+", elsewhere))
    assert sorted(names - used) == []


def test_expressions_have_no_possessive_groups() -> None:
    """Before Python 3.11.5, `(ab)*+` keeps what its failed round took: it matches other texts than
    later versions do, and a reader of folders took time that grew with the square of their length.
    One character, as in `[ab]*+`, is right everywhere."""
    found = [
        f"{source.name}: {line.strip()}"
        for source in package_sources()
        for line in source.text.splitlines()
        if re.search(r"\)[*+?}]\+", line) and "#" not in line
    ]
    assert found == []
