"""Goal: an exception that the plain files catch, the compiled build catches too.

Method: mypyc gives a caught exception's name one type in a function, that of its first `except`.
A later clause with the same name and another class of ours raises TypeError there, which neither
mypy nor the plain files show. So a name stands for one type in a function.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from tools.layers import compiled_files, load

pytestmark = pytest.mark.core


def clashes(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        types: dict[str, str] = {}
        for node in ast.walk(function):
            if isinstance(node, ast.ExceptHandler) and node.name and node.type is not None:
                found = ast.unparse(node.type)
                if types.setdefault(node.name, found) != found:
                    yield node.lineno, node.name


def test_caught_name_when_compiled_then_it_has_one_type_in_a_function() -> None:
    found = [
        f"{path.name}:{line} {name}"
        for path in compiled_files(load())
        for line, name in clashes(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert found == []


def test_caught_name_when_it_has_two_types_then_it_is_found() -> None:
    source = "def f():\n try: g()\n except A as e: pass\n except B as e: pass\n"
    assert list(clashes(ast.parse(source))) == [(4, "e")]
