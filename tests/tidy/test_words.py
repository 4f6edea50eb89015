"""Goal: nothing in the project that belongs to one machine, one day or one debugging hour, and
English that a maintainer can search.

Method: look for the words in every text file that git would take, for the calls in the trees, for
obscure words in comments and strings alone.
"""

import ast
import io
import re
import tokenize
from pathlib import Path

import pytest

from tests.tidy.sources import Source, all_sources, package_sources
from tools.layers import ROOT

pytestmark = pytest.mark.timeout(120)  # they parse every file of the project

# Written so that this file does not find itself.
LATER = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|HA" r"CK)\b")
MACHINE = re.compile(r"(?<![\w.$}])/(?:work|root|tmp|home|Users|mnt)/\w")
TEXTS = {".cfg", ".ini", ".md", ".py", ".pyi", ".sh", ".toml", ".txt", ".yaml", ".yml", ""}
SKIPPED = {".git", ".venv", ".cache", "build", "dist", "__pycache__"}

# May catch everything: the boundary of a session, and the one place that stops the process.
# The shell hands on what a signal handler raised, once it has its lock again. The command server
# serves the next request when one of ours went wrong, and says so. Tasks that a queue manager can
# do without are begun again. What a callback raises is reported, and raised when they are stopped.
CATCH_ALL = {
    "src/ternmq/cli/__main__.py",
    "src/ternmq/server/session.py",
    "src/ternmq/network/clients/conversation.py",
    "src/ternmq/network/channels/agent_driver.py",
    "src/ternmq/server/fatal.py",
    "src/ternmq/outlets/command_queue.py",
    "src/ternmq/api/listening.py",
    "src/ternmq/api/callbacks.py",
    "src/ternmq/api/consuming.py",
    "src/ternmq/api/aio_consuming.py",
    "src/ternmq/outlets/restarting.py",
    "src/ternmq/host/shell.py",
    # Functions of users, which must not cost a message or the start.
    "src/ternmq/codec/conversion_service.py",
    "src/ternmq/ports/os_exit_files.py",
    "src/ternmq/channel/exit_chain.py",
    "src/ternmq/network/edge/exit_thread.py",
}
# May speak to a terminal.
SPEAKS = ("cli",)

# Words for which a reader has to guess what is meant: say report, again, has no, invalid, is not.
# `is None` is Python's, so only lower case counts.
FSTRING_MIDDLE = getattr(tokenize, "FSTRING_MIDDLE", -1)  # from Python 3.12 on
OBSCURE = re.compile(
    r"\b(?:[Tt]old|[Aa]new|(?<!here )(?:is|are) none|not sound|[Uu]nsound|[Aa]stray)\b",
)


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


def prose_of(text: str) -> list[tuple[int, str]]:
    """Comments and strings with their first lines, each in one line; comments below each other are
    one."""
    found: list[tuple[int, str]] = []
    comment_ends = -1  # the line of the last comment
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        line = token.start[0]
        if token.type == tokenize.COMMENT:
            words = token.string.removeprefix("#")
            if line == comment_ends + 1:
                line, before = found.pop()
                words = before + words
            found.append((line, words))
            comment_ends = token.start[0]
        elif token.type in (tokenize.STRING, FSTRING_MIDDLE):
            found.append((line, token.string))
            comment_ends = -1
    return [(line, " ".join(words.split())) for line, words in found]


def obscure_words(text: str) -> list[str]:
    return [
        f"{line}: {found[0]}" for line, words in prose_of(text) for found in OBSCURE.finditer(words)
    ]


def test_obscure_words_when_in_comment_or_string_then_found_and_not_in_code() -> None:
    text = """\
told = unsound(anew)  # whoever asks is
# told so
def lost(x):
    '''What is
    none; None if there is none.'''
    return f"{x} is not sound" if x is None else "made Anew"
"""
    assert obscure_words(text) == ["1: told", "4: is none", "6: not sound", "6: Anew"]


def test_comments_and_strings_have_no_obscure_words() -> None:
    found = [
        f"{source.name}:{word}"
        for source in package_sources()
        for word in obscure_words(source.text)
    ]
    assert found == []


def test_pages_have_no_obscure_words() -> None:
    """Titles of Java's cases are made of names in Java, so their page is left out."""
    pages = [*sorted((ROOT / "docs").rglob("*.md")), *sorted(ROOT.glob("*.md"))]
    left_out = {ROOT / "CHANGELOG.md", ROOT / "docs/reference/interop.md"}
    words = re.compile(r"\b(?:[Tt]old|[Aa]new|[Uu]nsound|[Aa]stray|[Ff]arewell)\b")
    found = [
        f"{page.relative_to(ROOT)}:{number}: {line.strip()}"
        for page in pages
        if page not in left_out
        for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1)
        if words.search(line)
    ]
    assert found == []
