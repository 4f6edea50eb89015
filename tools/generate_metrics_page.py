"""Writes the table of metrics in docs/operations/monitoring.md from
telemetry/metrics/metric_rows.py.

python tools/generate_metrics_page.py [--check]
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "src"))

from ternmq.telemetry.metrics import metric_rows as rows  # noqa: E402

PAGE = ROOT / "docs" / "operations" / "monitoring.md"
BEGIN = "<!-- metrics: begin; made by tools/generate_metrics_page.py -->\n"
END = "<!-- metrics: end -->\n"
_SCHEMES = {rows.EXPORTER: "exporter", rows.CONTAINER: "container", rows.OWN: "ours"}


def table_text() -> str:
    """A line for each metric."""
    lines = ["\n| metric | type | whose name | what it is |\n| --- | --- | --- | --- |\n"]
    lines += [
        f"| `{row.name}` | {row.kind} | {_SCHEMES[row.scheme]} | {row.help} |\n"
        for row in rows.ROWS
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
        sys.stderr.write(f"{PAGE} is not what tools/generate_metrics_page.py makes\n")
        return 1
    PAGE.write_text(made, encoding="utf-8")
    sys.stdout.write(f"written: {PAGE.relative_to(ROOT)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
