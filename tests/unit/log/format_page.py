"""The page docs/format/log.md, made from the head comments of the files that implement the format.

`python -m tests.unit.log.format_page` writes it.
"""

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "format" / "log.md"
CHAPTERS = [
    ("record", "Records"),
    ("extents", "Extent files"),
    ("control", "Control file"),
    ("reader", "Reading, end and damage"),
    ("tail", "Tail copy"),
    ("space", "Space"),
]
INTRODUCTION = """\
# Format of the log

This page is copied from the head comments of the files in `src/ternmq/log` that implement the
format, by `python -m tests.unit.log.format_page`; a test compares the two. Change it there.
"""


def page() -> str:
    """The text the page must have."""
    chapters = [INTRODUCTION]
    for module, title in CHAPTERS:
        source = (ROOT / "src" / "ternmq" / "log" / f"{module}.py").read_text(encoding="utf-8")
        head = ast.get_docstring(ast.parse(source)) or ""
        chapters.append(f"## {title} (`{module}.py`)\n\n{head.strip()}\n")
    return "\n".join(chapters)


if __name__ == "__main__":
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(page(), encoding="utf-8")
