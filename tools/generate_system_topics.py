"""Writes the table of resources in docs/operations/system-topics.md from
telemetry/monitor/monitor_rows.py.

python tools/generate_system_topics.py [--check]
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "src"))

from ternmq.telemetry.monitor import monitor_rows as rows  # noqa: E402

PAGE = ROOT / "docs" / "operations" / "system-topics.md"
BEGIN = "<!-- resources: begin; made by tools/generate_system_topics.py -->\n"
END = "<!-- resources: end -->\n"
_DATATYPES = {
    rows.UNIT: "number",
    rows.DELTA: "number in the interval",
    rows.LSN: "log sequence number",
    rows.HUNDREDTHS: "hundredths",
    rows.PERCENT: "hundredths of a percent",
    rows.MICROSECONDS: "microseconds",
    rows.MEGABYTES: "megabytes",
}


def table_text() -> str:
    """A line for each element."""
    lines: list[str] = []
    for one in rows.CLASSES:
        lines.append(f"\n### {one.name}: {one.description}\n\n")
        lines.append("| type | element | what it is | datatype | value |\n")
        lines.append("| --- | --- | --- | --- | --- |\n")
        for kind in one.types:
            lines += [
                f"| {kind.name} | {element.number} | {element.description} "
                f"| {_DATATYPES[element.datatype]} | `{element.source.text}` |\n"
                for element in kind.elements
            ]
    return "".join(lines) + "\n"


def page_text(page: str) -> str:
    """The page with its table."""
    begin = page.index(BEGIN) + len(BEGIN)
    return page[:begin] + table_text() + page[page.index(END) :]


def main(argv: list[str]) -> int:
    """Write the page, or compare."""
    page = PAGE.read_text(encoding="utf-8")
    made = page_text(page)
    if made == page:
        return 0
    if "--check" in argv:
        sys.stderr.write(f"{PAGE} is not what tools/generate_system_topics.py makes\n")
        return 1
    PAGE.write_text(made, encoding="utf-8")
    sys.stdout.write(f"written: {PAGE.relative_to(ROOT)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
