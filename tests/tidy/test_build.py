"""Goal: the build under test is the one that was asked for, and TERNMQ_PURE forces the plain files.

Method: ask ternmq.build_info() here and in a child process.
"""

import ast
import os
import subprocess
import sys
from pathlib import Path

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


def inheriting(path: Path) -> list[tuple[str, str, str]]:
    """The classes of a file with their bases that come from our modules: class, module, base."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    homes = {
        alias.asname or alias.name: (node.module.removeprefix("ternmq."), alias.name)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("ternmq.")
        for alias in node.names
        if node.module
    }
    found = []
    for node in tree.body:
        for base in node.bases if isinstance(node, ast.ClassDef) else ():
            home = homes.get(ast.unparse(base).partition("[")[0])
            if home is not None and isinstance(node, ast.ClassDef):
                found.append((node.name, *home))
    return found


def test_compiled_class_when_it_has_a_base_of_ours_then_that_is_compiled_too() -> None:
    """Between compiled classes an interpreted one makes mypyc write C that is wrong."""
    compiled = {".".join(layers.place_of(path)) for path in layers.compiled_files(layers.load())}
    wrong = [
        f"{'.'.join(layers.place_of(path))}: {base} of {home}"
        for path in layers.compiled_files(layers.load())
        for _, home, base in inheriting(path)
        if home not in compiled
    ]
    assert wrong == []


# With one more underscore before them these are words of gcc.
RESERVED = ("_thread", "_asm", "_const", "_inline", "_volatile", "_signed", "_label", "_func")


def test_compiled_attribute_when_named_then_its_name_in_c_is_not_reserved() -> None:
    """mypyc writes an underscore before a name: `_thread` becomes `__thread`, a word of gcc."""
    wrong = [
        f"{'.'.join(layers.place_of(path))}: {node.attr}"
        for path in layers.compiled_files(layers.load())
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr in RESERVED
    ]
    assert wrong == []


OPEN = ("allow_interpreted", "Error", "Exception", "Tuple", "Protocol", "Enum")


def closed_classes(path: Path) -> set[str]:
    """The classes of a compiled file from which no interpreted class can inherit: those that say
    nothing else, and are neither exceptions nor tuples, which are ordinary classes of Python."""
    found = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef):
            said = " ".join(ast.unparse(one) for one in (*node.decorator_list, *node.bases))
            if not any(
                word in said for word in ("allow_interpreted", "Error", "Exception", "Tuple")
            ):
                found.add(node.name)
    return found


def test_interpreted_class_when_it_has_a_compiled_base_then_that_allows_it() -> None:
    """Else making an object of it raises TypeError, on the compiled build alone."""
    table = layers.load()
    compiled = {".".join(layers.place_of(path)): path for path in layers.compiled_files(table)}
    closed = {name: closed_classes(path) for name, path in compiled.items()}
    wrong = [
        f"{'.'.join(layers.place_of(path))}: {name} of {home}.{base}"
        for path in layers.source_files()
        if path not in compiled.values()
        for name, home, base in inheriting(path)
        if base in closed.get(home, ())
    ]
    assert wrong == []
