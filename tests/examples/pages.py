"""Reads the Python blocks of a page and runs them, as the tests of the documentation do.

Every block that opens with ```python is run, in order, all blocks of a page in one namespace and in
one empty folder; one that opens with ```python not-run is not. Where a block has comments that
begin with `# prints: `, what it prints must be exactly those lines.
"""

from __future__ import annotations

import contextlib
import io
import re
from dataclasses import dataclass
from pathlib import Path

from tools.layers import ROOT

_PRINTS = re.compile(r"# prints: (.*)$")


@dataclass(frozen=True)
class Block:
    """One fenced block of code."""

    page: str
    line: int
    is_run: bool
    source: str

    @property
    def expected(self) -> list[str]:
        """The lines that it says it prints."""
        found = [_PRINTS.search(line) for line in self.source.splitlines()]
        return [match.group(1).rstrip() for match in found if match is not None]


def pages() -> list[str]:
    """The README and every page under docs that has Python in it."""
    paths = [ROOT / "README.md", ROOT / "ARCHITECTURE.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [str(path.relative_to(ROOT)) for path in paths if "```python" in read(path)]


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def blocks(page: str) -> list[Block]:
    """The Python blocks of a page, with the line each begins on."""
    found: list[Block] = []
    start = 0
    fence = ""
    lines = read(ROOT / page).splitlines()
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if not fence and text.startswith("```python"):
            fence = text
            start = number
        elif fence and text == "```":
            source = "\n".join(lines[start : number - 1])
            found.append(Block(page, start + 1, fence != "```python not-run", source))
            fence = ""
    assert not fence, f"{page}: the block that begins in line {start} does not end"
    return found


def run(block: Block, names: dict[str, object]) -> None:
    """Run a block; its printed lines must be those that it announces."""
    # Lines before the block are left empty, so that a traceback names the line of the page.
    code = compile("\n" * (block.line - 1) + block.source, str(ROOT / block.page), "exec")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, names)
    if block.expected:
        lines = [line.rstrip() for line in printed.getvalue().splitlines()]
        assert lines == block.expected, f"{block.page}:{block.line}"
