"""The page docs/internals/format/log.md, made from the head comments of the files that implement
the format.

`python -m tests.unit.log.format_page` writes it.
"""

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "internals" / "format" / "log.md"
CHAPTERS = [
    ("log/record", "Records"),
    ("log/extents", "Extent files"),
    ("log/control", "Control file"),
    ("log/reader", "Reading, end and damage"),
    ("log/tail", "Tail copy"),
    ("log/space", "Space"),
    ("txn/families/message_records", "Payloads: messages"),
    ("txn/families/unit_records", "Payloads: units of work"),
    ("txn/families/ledger_records", "Payloads: the ledger"),
    ("txn/families/cursor_records", "Payloads: stream cursors"),
    ("txn/families/definition_records", "Payloads: objects"),
    ("txn/families/image_records", "Payloads: media images"),
    ("txn/families/checkpoint_records", "Payloads: checkpoints and starts"),
]
INTRODUCTION = """\
# Format of the log

This page is copied from the head comments of the files in `src/ternmq/log` and
`src/ternmq/txn/families` that implement the format, by `python -m tests.unit.log.format_page`;
a test compares the two. Change it there.
"""


def page() -> str:
    """The text the page must have."""
    chapters = [INTRODUCTION]
    for module, title in CHAPTERS:
        source = (ROOT / "src" / "ternmq" / f"{module}.py").read_text(encoding="utf-8")
        head = ast.get_docstring(ast.parse(source)) or ""
        chapters.append(f"## {title} (`{module}.py`)\n\n{head.strip()}\n")
    return "\n".join(chapters)


if __name__ == "__main__":
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(page(), encoding="utf-8")
