"""Reads the blocks of a page and runs them, as the tests of the documentation do.

Every block that opens with ```python is run, in order, all blocks of a page in one namespace and in
one empty folder; one that opens with ```python not-run is not. Where a block has comments that
begin with `# prints: `, what it prints must be exactly those lines.

A block that opens with ```console run is what people type into a shell: lines behind a `$` are
commands of ours, or `export NAME=value`, and a backslash goes on in the next line. If a command has
lines below it, they are what it prints; three dots stand for anything. The commands run in this
process, so those of Spark take its session.
"""

from __future__ import annotations

import contextlib
import fnmatch
import io
import os
import re
import shlex
from dataclasses import dataclass
from pathlib import Path

from tools.layers import ROOT

_FENCES = ("```python", "```console run")
_PRINTS = re.compile(r"# prints: (.*)$")


@dataclass(frozen=True)
class Block:
    """One fenced block of code."""

    page: str
    line: int
    is_run: bool
    source: str
    is_console: bool = False

    @property
    def expected(self) -> list[str]:
        """The lines that it says it prints."""
        found = [_PRINTS.search(line) for line in self.source.splitlines()]
        return [match.group(1).rstrip() for match in found if match is not None]


def pages() -> list[str]:
    """The README and every page under docs that has something to run in it."""
    paths = [ROOT / "README.md", ROOT / "ARCHITECTURE.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [
        str(path.relative_to(ROOT))
        for path in paths
        if any(fence in read(path) for fence in _FENCES)
    ]


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def blocks(page: str) -> list[Block]:
    """The blocks of a page that are run, or could be, with the line each begins on."""
    found: list[Block] = []
    start = 0
    fence = ""
    lines = read(ROOT / page).splitlines()
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if not fence and text.startswith(_FENCES):
            fence = text
            start = number
        elif fence and text == "```":
            source = "\n".join(lines[start : number - 1])
            is_run = fence != "```python not-run"
            found.append(Block(page, start + 1, is_run, source, fence == "```console run"))
            fence = ""
    assert not fence, f"{page}: the block that begins in line {start} does not end"
    return found


def run(block: Block, names: dict[str, object]) -> None:
    """Run a block; its printed lines must be those that it announces."""
    if block.is_console:
        for command, wanted in typed(block.source):
            said = run_command(command)
            assert not wanted or is_like(said, wanted), f"{block.page}:{block.line}\n{said}"
        return
    # Lines before the block are left empty, so that a traceback names the line of the page.
    code = compile("\n" * (block.line - 1) + block.source, str(ROOT / block.page), "exec")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, names)
    if block.expected:
        lines = [line.rstrip() for line in printed.getvalue().splitlines()]
        assert lines == block.expected, f"{block.page}:{block.line}"


def typed(source: str) -> list[tuple[str, str]]:
    """The commands of a console, each with what it says below."""
    commands: list[tuple[str, str]] = []
    for part in re.split(r"^\$ ", source, flags=re.MULTILINE)[1:]:
        command, _, said = part.replace("\\\n", " ").partition("\n")
        commands.append((command, said))
    return commands


def run_command(line: str) -> str:
    """What a command says; it must end well."""
    from ternmq.cli.__main__ import main

    words = [os.path.expandvars(word) for word in shlex.split(line)]
    if words[0] == "export":
        name, _, value = words[1].partition("=")
        os.environ[name] = value
        return ""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        status = main(words[1:] if words[0] == "ternmq" else words)
    assert status == 0, f"{line} ended with {status}"
    return printed.getvalue()


def is_like(said: str, wanted: str) -> bool:
    """Whether lines are those that a page shows, but for the spaces at their ends."""
    lines = [[line.rstrip() for line in text.strip().splitlines()] for text in (said, wanted)]
    escaped = (re.sub(r"([*?\[])", r"[\1]", line).replace("...", "*") for line in lines[1])
    pairs = zip(lines[0], escaped, strict=False)
    return len(lines[0]) == len(lines[1]) and all(fnmatch.fnmatchcase(*pair) for pair in pairs)
