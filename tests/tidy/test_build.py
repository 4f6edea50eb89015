"""Goal: the build under test is the one that was asked for, and TERNMQ_PURE forces the plain files.

Method: ask ternmq.build_info() here and in a child process.
"""

import ast
import os
import subprocess
import sys

import pytest

import ternmq
from tests.conftest import EXPECTED
from tools import layers

CHILD = (
    "import sys, ternmq, ternmq.base.errors as errors; print(ternmq.build_info().compiled);"
    "print(errors.__file__); print(any('__mypyc' in name for name in sys.modules))"
)


def ask_child(**environment: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", CHILD],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


@pytest.mark.core
def test_build_info_reports_the_build_under_test() -> None:
    assert ternmq.build_info().compiled is (EXPECTED == "compiled")


@pytest.mark.core
def test_child_process_runs_the_same_build() -> None:
    compiled, path, shared_library = ask_child()
    assert compiled == shared_library == str(EXPECTED == "compiled")
    assert path.endswith(".so") is (EXPECTED == "compiled")


@pytest.mark.compiled
def test_pure_takes_source_files_of_a_compiled_install() -> None:
    compiled, path, shared_library = ask_child(TERNMQ_PURE="1")
    assert (compiled, shared_library) == ("False", "False")
    assert path.endswith("errors.py")


@pytest.mark.compiled
def test_every_core_module_is_compiled() -> None:
    code = (
        "import sys, importlib\nfor n in sys.argv[1:]: print(importlib.import_module(n).__file__)"
    )
    table = layers.load()
    files = [path.relative_to(layers.SOURCE.parent) for path in layers.compiled_files(table)]
    names = [".".join(path.with_suffix("").parts) for path in files]
    done = subprocess.run(
        [sys.executable, "-c", code, *names], capture_output=True, text=True, check=True
    )
    assert [path for path in done.stdout.split() if not path.endswith(".so")] == []


def test_table_of_compiled_modules_names_no_ghosts() -> None:
    """A pattern for a package that exists must match one of its modules."""
    table = layers.load()
    modules = [layers.place_of(path) for path in layers.source_files()]
    ghosts = []
    for package in table.packages.values():
        inside = [module for name, module in modules if name == package.name]
        patterns = (*package.plain, *package.hot, *package.effects) if inside else ()
        ghosts += [
            f"{package.name}: {pattern}"
            for pattern in patterns
            if not any(layers.matches(module, (pattern,)) for module in inside)
        ]
    compiled = layers.compiled_modules(table)
    ghosts += [
        f"optimised: {pattern}"
        for pattern in table.optimised
        if not any(layers.matches(module, (pattern,)) for module in compiled)
    ]
    assert ghosts == []


def test_compiled_class_when_it_has_a_base_of_ours_then_that_is_compiled_too() -> None:
    """Between compiled classes an interpreted one makes mypyc write C that is wrong."""
    compiled = {".".join(layers.place_of(path)) for path in layers.compiled_files(layers.load())}
    wrong = []
    for path in layers.compiled_files(layers.load()):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        homes = {
            alias.asname or alias.name: node.module.removeprefix("ternmq.")
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("ternmq.")
            for alias in node.names
            if node.module
        }
        for node in tree.body:
            for base in node.bases if isinstance(node, ast.ClassDef) else ():
                home = homes.get(ast.unparse(base).partition("[")[0])
                if home is not None and home not in compiled:
                    wrong.append(
                        f"{'.'.join(layers.place_of(path))}: {ast.unparse(base)} of {home}"
                    )
    assert wrong == []
