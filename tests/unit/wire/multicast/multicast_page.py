"""The page docs/internals/format/multicast.md, made from the head comments of the files that
implement packets and publications of multicast.

`python -m tests.unit.wire.multicast.multicast_page` writes it.
"""

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parents[4]
PAGE = ROOT / "docs" / "internals" / "format" / "multicast.md"
SOURCES = ("packet", "publication", "transmitter", "receiver")
INTRODUCTION = """\
# Packets of multicast

What travels in a multicast group, and what both ends do. This page is copied from the heads of the
files in `src/ternmq/wire/multicast` by `python -m tests.unit.wire.multicast.multicast_page`; a test
compares them. Change it there. How multicast is used is in
[Multicast](../../administration/multicast.md).
"""


def page() -> str:
    """The text the page must have."""
    parts = [INTRODUCTION]
    for name in SOURCES:
        source = ROOT / "src" / "ternmq" / "wire" / "multicast" / f"{name}.py"
        head = ast.get_docstring(ast.parse(source.read_text(encoding="utf-8"))) or ""
        parts.append(f"## {name.capitalize()}\n\n```\n{head.strip()}\n```\n")
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
