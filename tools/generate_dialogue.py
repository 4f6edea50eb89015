"""Writes the tables of the dialogue in docs/internals/format/client_protocol.md from
wire/fap/dialogue.py.

python tools/generate_dialogue.py [--check]
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "src"))

from ternmq.wire.fap import dialogue as rules  # noqa: E402
from ternmq.wire.fap.channel_dialogue import INITIATOR_SENDS  # noqa: E402
from ternmq.wire.fap.vocabulary import CALL_NAMES, STATUS_NAMES, type_name  # noqa: E402

PAGE = ROOT / "docs" / "internals" / "format" / "client_protocol.md"
BEGIN = "<!-- dialogue: begin; made by tools/generate_dialogue.py -->\n"
END = "<!-- dialogue: end -->\n"
HEAD = "| state | sent by | segment | by itself | the other side | next state |\n"
RULE = "| --- | --- | --- | --- | --- | --- |\n"


def segment_text(row: rules.Row) -> str:
    """What is sent, and the condition."""
    calls = [type for type in row.types if type in CALL_NAMES]
    names = ["a call"] if len(calls) > 1 else [type_name(type) for type in calls]
    others = [type for type in row.types if type not in calls]
    names += [rules.EVENT_NAMES.get(type) or type_name(type) for type in others]
    condition = f", {row.when.name}" if row.when.name else ""
    return ", ".join(names) + condition


def action_text(row: rules.Row) -> str:
    """What the other side does."""
    if row.action != rules.REFUSE:
        return row.action
    code = f"STATUS_DATA {STATUS_NAMES[row.status]}" if row.status else "nothing is sent"
    return f"refuse: {code}, `{row.text}`"


def line_of(row: rules.Row) -> str:
    """One row of the page."""
    plan = "" if row.plan == rules.NEVER else rules.PLAN_NAMES.get(row.plan, "always")
    then = "closed" if row.action == rules.REFUSE else rules.STATE_NAMES[row.then]
    cells = (
        ", ".join(rules.STATE_NAMES[state] for state in row.states),
        rules.ROLE_NAMES[row.speaker],
        segment_text(row),
        plan,
        action_text(row),
        then,
    )
    return f"| {' | '.join(cells)} |\n"


def tables_text() -> str:
    """The tables. That of a channel that a requester calls is the last one with roles exchanged."""
    parts: list[str] = []
    for table in (rules.SOCKET, rules.CONVERSATION, INITIATOR_SENDS):
        parts += [f"\n### Of a {table.name}\n\n", HEAD, RULE]
        parts += [line_of(row) for row in table.rows]
    return "".join(parts) + "\n"


def page_text(page: str) -> str:
    """The page with its tables."""
    begin = page.index(BEGIN) + len(BEGIN)
    return page[:begin] + tables_text() + page[page.index(END) :]


def main(argv: list[str]) -> int:
    """Write the page, or compare."""
    page = PAGE.read_text(encoding="utf-8")
    made = page_text(page)
    if made == page:
        return 0
    if "--check" in argv:
        sys.stderr.write(f"{PAGE} is not what tools/generate_dialogue.py makes\n")
        return 1
    PAGE.write_text(made, encoding="utf-8")
    sys.stdout.write(f"written: {PAGE.relative_to(ROOT)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
