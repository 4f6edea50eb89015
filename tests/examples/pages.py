"""Reads the blocks of a page and runs them, as the tests of the documentation do.

Every block that opens with ```python is run, in order, all blocks of a page in one namespace and in
one empty folder; one that opens with ```python not-run is not. Where a block has comments that
begin with `# prints: `, what it prints must be exactly those lines.

A block that opens with ```console run is what people type into a shell: lines behind a `$` are
commands of ours, `export NAME=value`, or one of a few of the system's, and a backslash goes on in
the next line. `<<END` at the end of a command gives it the lines up to END. If a command has lines
below it, they are what it prints; three dots stand for anything, alone on a line for any number of
lines. The commands run in this process, so those of Spark take its session.

MQSC that only displays is typed again, a hundred times at most, until it shows what the page shows:
a channel that has just failed is INITIALIZING for a moment before it is RETRYING.

Ports 1414 to 1419 on a page with a console stand for ports that are free when it is run.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import socket
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path
from unittest import mock

from tools.layers import ROOT

_FENCES = ("```python", "```console run")
_PRINTS = re.compile(r"# prints: (.*)$")
_PORT = re.compile(r"\b141[4-9]\b")
_HERE = re.compile(r"\s*<<(\w+)$")
_SYSTEM = ("mkdir", "openssl")  # commands that are not ours
_TIMES_MAX = 100


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
        for command, given, wanted in typed(block.source):
            said = run_command(command, given)
            if not wanted:
                continue
            for _ in range(_TIMES_MAX if only_displays(given) else 0):
                if is_like(said, wanted):
                    break
                said = run_command(command, given)
            assert is_like(said, wanted), f"{block.page}:{block.line}\n{said}"
        return
    # Lines before the block are left empty, so that a traceback names the line of the page.
    code = compile("\n" * (block.line - 1) + block.source, str(ROOT / block.page), "exec")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, names)
    if block.expected:
        lines = [line.rstrip() for line in printed.getvalue().splitlines()]
        assert lines == block.expected, f"{block.page}:{block.line}"


def with_free_ports(found: list[Block]) -> list[Block]:
    """The blocks of a page with ports of their own, if one of them is a console."""
    if not any(block.is_console and block.is_run for block in found):
        return found
    ports: dict[str, str] = {}
    held: list[socket.socket] = []

    def free(match: re.Match[str]) -> str:
        if match.group() not in ports:
            held.append(socket.create_server(("127.0.0.1", 0)))
            ports[match.group()] = str(held[-1].getsockname()[1])
        return ports[match.group()]

    changed = [replace(block, source=_PORT.sub(free, block.source)) for block in found]
    for one in held:
        one.close()
    return changed


def typed(source: str) -> list[tuple[str, str, str]]:
    """The commands of a console, each with what it is given and with what it says below."""
    commands: list[tuple[str, str, str]] = []
    for part in re.split(r"^\$ ", source, flags=re.MULTILINE)[1:]:
        command, _, said = part.replace("\\\n", " ").partition("\n")
        here = _HERE.search(command)
        given = ""
        if here is not None:
            command = command[: here.start()]
            given, end, said = said.partition(f"{here.group(1)}\n")
            assert end, f"{command}: its input has no end"
        commands.append((command, given, said))
    return commands


def only_displays(given: str) -> bool:
    """Whether lines of MQSC change nothing, so that they can be typed again."""
    lines = given.split("\n")
    return bool(given) and all(line.startswith(("DISPLAY ", " ")) or not line for line in lines)


def run_command(line: str, given: str = "") -> str:
    """What a command says; it must end well."""
    from ternmq.cli.__main__ import main

    words = [os.path.expandvars(word) for word in shlex.split(line)]
    if words[0] == "export":
        name, _, value = words[1].partition("=")
        os.environ[name] = value
        return ""
    if words[0] in _SYSTEM:
        done = subprocess.run(words, input=given, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{line}: {done.stderr}"
        return done.stdout
    printed = io.StringIO()
    with (
        contextlib.redirect_stdout(printed),
        mock.patch("sys.stdin", io.TextIOWrapper(io.BytesIO(os.path.expandvars(given).encode()))),
    ):
        status = main(words[1:] if words[0] == "ternmq" else words)
    assert status == 0, f"{line} ended with {status}: {printed.getvalue()}"
    return printed.getvalue()


def is_like(said: str, wanted: str) -> bool:
    """Whether lines are those that a page shows, but for the spaces at their ends."""
    lines = [[line.rstrip() for line in text.strip().splitlines()] for text in (said, wanted)]
    pattern = "".join(
        r"(?:.*\n)*" if line == "..." else ".*".join(map(re.escape, line.split("..."))) + r"\n"
        for line in lines[1]
    )
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in lines[0])) is not None
