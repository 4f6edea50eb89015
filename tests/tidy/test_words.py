"""Goal: nothing in the project that belongs to one machine, one day or one debugging hour.

Method: look for the words in every text file that git would take, for the calls in the trees.
"""

import ast
import re
from pathlib import Path

from tests.tidy.sources import Source, all_sources, package_sources
from tools.layers import ROOT

# Written so that this file does not find itself.
LATER = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|HA" r"CK)\b")
MACHINE = re.compile(r"(?<![\w.$}])/(?:work|root|tmp|home|Users|mnt)/\w")
TEXTS = {".cfg", ".ini", ".md", ".py", ".pyi", ".sh", ".toml", ".txt", ".yaml", ".yml", ""}
SKIPPED = {".git", ".venv", ".cache", "build", "dist", "__pycache__"}

# May catch everything: the boundary of a session, and the one place that stops the process.
# The shell hands on what a signal handler raised, once it has its lock again. The command server
# serves the next request when one of ours went wrong, and says so. Tasks that a queue manager can
# do without are begun again.
CATCH_ALL = {
    "src/ternmq/cli/__main__.py",
    "src/ternmq/server/session.py",
    "src/ternmq/network/clients/conversation.py",
    "src/ternmq/server/fatal.py",
    "src/ternmq/outlets/command_queue.py",
    "src/ternmq/api/listening.py",
    "src/ternmq/outlets/restarting.py",
    "src/ternmq/host/shell.py",
}
# May speak to a terminal.
SPEAKS = ("cli",)


def text_files() -> list[Path]:
    found = []
    for entry in sorted(ROOT.iterdir()):
        if entry.name in SKIPPED or entry.name.startswith("."):
            continue
        found += [entry] if entry.is_file() else sorted(entry.rglob("*"))
    return [p for p in found if p.suffix in TEXTS and p.is_file() and SKIPPED.isdisjoint(p.parts)]


def lines_with(pattern: re.Pattern[str]) -> list[str]:
    found = []
    for path in text_files():
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if pattern.search(line):
                found.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()}")
    return found


def test_nothing_is_left_for_later() -> None:
    assert lines_with(LATER) == []


def test_no_path_of_one_machine() -> None:
    assert lines_with(MACHINE) == []


def test_no_print_in_the_package() -> None:
    prints = [
        f"{source.name}:{node.lineno}"
        for source in package_sources()
        if source.place[0] not in SPEAKS
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "print"
    ]
    assert prints == []


def catches_all(node: ast.ExceptHandler) -> bool:
    kinds = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
    names = {kind.id for kind in kinds if isinstance(kind, ast.Name)}
    return node.type is None or not names.isdisjoint({"Exception", "BaseException"})


def catch_alls(source: Source) -> list[str]:
    return [
        f"{source.name}:{node.lineno}"
        for node in ast.walk(source.tree)
        if isinstance(node, ast.ExceptHandler) and catches_all(node) and not raises_again(node)
    ]


def raises_again(node: ast.ExceptHandler) -> bool:
    last = node.body[-1]
    return isinstance(last, ast.Raise) and last.exc is None


def test_catch_all_that_keeps_what_it_caught_stands_in_few_files() -> None:
    found = [
        place
        for source in package_sources()
        if source.name not in CATCH_ALL
        for place in catch_alls(source)
    ]
    assert found == []


def test_tests_do_not_sleep() -> None:
    sleeps = [
        f"{source.name}:{node.lineno}"
        for source in all_sources()
        if source.name.startswith("tests/")
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "sleep"
        and not (node.args and isinstance(node.args[0], ast.Constant) and node.args[0].value == 0)
    ]
    assert sleeps == []
