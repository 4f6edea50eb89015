"""Writes the README's table of figures from benchmarks/results/engine.json: those with a goal.

python tools/generate_figures.py [--check]
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.figures import Figure, figure_from_json, short  # noqa: E402
from benchmarks.run import NAMES  # noqa: E402
from benchmarks.table import verdict  # noqa: E402

README = ROOT / "README.md"
RESULTS = ROOT / "benchmarks" / "results" / "engine.json"
BEGIN = "<!-- figures: begin; made by tools/generate_figures.py -->\n"
END = "<!-- figures: end -->\n"


def row_of(figure: Figure, plain: Figure | None) -> str:
    """One line of the table."""
    value = "-" if figure.value is None else f"{short(figure.value)} {figure.unit}"
    beside = ""
    if figure.baseline and figure.baseline_value is not None:
        beside = f"{short(figure.baseline_value)} ({figure.baseline})"
    ratio = "" if figure.ratio is None else short(figure.ratio)
    slow = "" if plain is None or plain.value is None else short(plain.value)
    cells = (figure.name, value, slow, beside, ratio, figure.goal_text, verdict(figure))
    return f"| {' | '.join(cells)} |"


def table_of(told: dict[str, Any]) -> str:
    """The part of the README between the marks."""
    machine = told["machine"]
    lines = [
        f"{machine['processors']}, {machine['system']}, Python {machine['python']}; medians of "
        f"{told['rounds']} rounds, measured and baseline in turns, in one run each. Load of the",
        f"machine at the start: {machine['load']}.",
        "",
        "| | compiled | plain | baseline | x | goal | |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for name, builds in told["benchmarks"].items():
        plain = {one["name"]: figure_from_json(one) for one in builds.get("plain", [])}
        figures = [figure_from_json(one) for one in builds["compiled"]]
        judged = [figure for figure in figures if figure.goal is not None]
        if judged:
            lines.append(f"| **{NAMES[name]}** | | | | | | |")
            lines += [row_of(figure, plain.get(figure.name)) for figure in judged]
    return "\n".join(lines) + "\n"


def main() -> None:
    text = README.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    after = rest.partition(END)[2]
    table = table_of(json.loads(RESULTS.read_text(encoding="utf-8")))
    wanted = before + BEGIN + table + END + after
    if "--check" not in sys.argv[1:]:
        README.write_text(wanted, encoding="utf-8")
    elif wanted != text:
        raise SystemExit("README.md: the figures are not those of benchmarks/results/engine.json")


if __name__ == "__main__":
    main()
