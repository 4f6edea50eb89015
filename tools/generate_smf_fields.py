"""Writes the tables of fields in docs/operations/smf.md, from telemetry/smf/counter_rows.py and
codec/smf/section_table.py: which counter stands in which field, and which fields have no
counterpart and are zero.

python tools/generate_smf_fields.py [--check]
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "src"))

from ternmq.codec.smf.section_layout import LAYOUTS  # noqa: E402
from ternmq.telemetry.smf.counter_rows import ROOTS, ROWS  # noqa: E402

PAGE = ROOT / "docs" / "operations" / "smf.md"
BEGIN = "<!-- fields: begin; made by tools/generate_smf_fields.py -->\n"
END = "<!-- fields: end -->\n"
# Fields that the codec fills in: identifiers, lengths, eye-catchers and versions.
_HEAD_BYTES = 8


def section_text(name: str) -> str:
    """The heading, table and list of one section."""
    layout = LAYOUTS[name]
    shown = "WQST" if name == "WQ" else name
    rows = ROWS.get(name, [])
    values = {row.field.partition("[")[0] for row in rows}
    lines = [f"### {shown}: {layout.row.about}\n"]
    if rows:
        lines.append(f"\nFrom `{ROOTS[name]}`.\n\n| field | what stands there |\n| --- | --- |\n")
        lines += [f"| `{row.field}` | `{row.source.text}` |\n" for row in rows]
    empty = [
        field.name
        for field in layout.row.fields
        if field.name
        and field.name not in values
        and field.default is None
        and (field.offset >= _HEAD_BYTES or not layout.row.eye_catcher)
    ]
    if empty:
        lines.append("\nZero or empty: " + ", ".join(f"`{one}`" for one in empty) + ".\n")
    return "".join(lines) + "\n"


def page_text(page: str) -> str:
    """The page with its tables."""
    begin = page.index(BEGIN) + len(BEGIN)
    end = page.index(END)
    made = "\n" + "".join(section_text(name) for name in ROOTS)
    return page[:begin] + made + page[end:]


def main(argv: list[str]) -> int:
    """Write the page, or compare."""
    page = PAGE.read_text(encoding="utf-8")
    made = page_text(page)
    if made == page:
        return 0
    if "--check" in argv:
        sys.stderr.write(f"{PAGE} is not what tools/generate_smf_fields.py makes\n")
        return 1
    PAGE.write_text(made, encoding="utf-8")
    sys.stdout.write(f"written: {PAGE.relative_to(ROOT)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
