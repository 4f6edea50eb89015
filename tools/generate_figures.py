"""Writes the tables of figures that pages show from benchmarks/results.

README.md: five figures beside other brokers'. docs/operations/benchmarks.md: those of engine.json
with a goal, and the rivals of rivals.json.

python tools/generate_figures.py [--check]
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.figures import Figure, figure_from_json, short  # noqa: E402
from benchmarks.run import NAMES  # noqa: E402
from benchmarks.table import verdict  # noqa: E402

RESULTS = ROOT / "benchmarks" / "results"
BEGIN = "<!-- {}: begin; made by tools/generate_figures.py -->\n"
END = "<!-- {}: end -->\n"
Results = dict[str, dict[str, Any]]


def row_of(figure: Figure, plain: Figure | None) -> str:
    """One line of the table."""
    value = "-" if figure.value is None else f"{short(figure.value)} {figure.unit}"
    beside = ""
    if figure.baseline and figure.baseline_value is not None:
        beside = f"{short(figure.baseline_value)} ({figure.baseline})"
    is_judged_by_ratio = figure.goal is None or figure.goal.of_ratio
    ratio = "" if figure.ratio is None or not is_judged_by_ratio else short(figure.ratio)
    slow = "" if plain is None or plain.value is None else short(plain.value)
    cells = (figure.name, value, slow, beside, ratio, figure.goal_text, verdict(figure))
    return f"| {' | '.join(cells)} |"


def table_of(results: Results) -> str:
    """The figures of the engine, each with its goal; a ratio only where the goal is one."""
    part = results["engine"]
    machine = part["machine"]
    lines = [
        f"{machine['processors']}, {machine['system']}, Python {machine['python']}; medians of "
        f"{part['rounds']} rounds, measured and baseline in turns, in one run each. Load of the",
        f"machine at the start: {machine['load']}.",
        "",
        "| | compiled | plain | baseline | x | goal | |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for name, builds in part["benchmarks"].items():
        plain = {one["name"]: figure_from_json(one) for one in builds.get("plain", [])}
        figures = [figure_from_json(one) for one in builds["compiled"]]
        judged = [figure for figure in figures if figure.goal is not None]
        if judged:
            lines.append(f"| **{NAMES[name]}** | | | | | | |")
            lines += [row_of(figure, plain.get(figure.name)) for figure in judged]
    return "\n".join(lines) + "\n"


# what bench_rivals.py writes into its names and notes
_NAME: Final = re.compile(r"(\d+) putters / (.+), ([^,]+)")
_NOTE: Final = re.compile(r"(.+); server CPU (\d+) us a message, ours (\d+)")
_PROMISES: Final = {
    "forced before it is confirmed": "forced",
    "NOT forced: lost when the power fails": "**not forced**",
}


def rivals_of(results: Results) -> str:
    """A line for each client of each broker."""
    part = results["rivals"]
    machine = part["machine"]
    ours: dict[str, list[str]] = {}
    lines: dict[tuple[str, str], list[str]] = {}
    for one in part["benchmarks"]["rivals"]["compiled"]:
        figure = figure_from_json(one)
        name, note = _NAME.fullmatch(figure.name), _NOTE.fullmatch(figure.note)
        if name is None or note is None:
            continue  # what was left out, and why
        if figure.value is None or figure.baseline_value is None or figure.ratio is None:
            raise SystemExit(f"rivals.json: {figure.name} has no figures")
        size, server, client = name.groups()
        promise, cpu, our_cpu = note.groups()
        ours[size] = [short(figure.value), "", our_cpu]
        cells = lines.setdefault((server, client), [_PROMISES[promise]])
        cells += [short(figure.baseline_value), short(figure.ratio), cpu]
    sizes = "".join(f" {size} putters | ours to it | server CPU, us |" for size in ours)
    our_cells = [cell for cells in ours.values() for cell in cells]
    return "\n".join(
        [
            f"{machine['processors']}, {machine['system']}, Python {machine['python']}, load"
            f" {machine['load']} at the start; medians of {part['rounds']} rounds in turns.",
            "",
            f"| server | client | a confirmation says |{sizes}",
            "| --- " * (3 + len(our_cells)) + "|",
            f"| TernMQ | `ternmq.aio` | forced | {' | '.join(our_cells)} |",
            *(
                f"| {server} | {client} | {' | '.join(cells)} |"
                for (server, client), cells in lines.items()
            ),
            "",
        ]
    )


# ---- the README

NATS: Final = "NATS JetStream, sync_interval always, nats.go"
NATS_AS_IT_COMES: Final = "NATS JetStream, not forced, nats.go"
RABBIT: Final = "RabbitMQ quorum queue, PerfTest"
REDIS: Final = "Redis stream, appendfsync always, redis-benchmark"


def few_of(results: Results) -> str:
    """Five figures beside those of other brokers, the best and the worst for us."""
    rivals = rates_of(results["rivals"]["benchmarks"]["rivals"]["compiled"])
    network = rates_of(results["network"]["benchmarks"]["network"]["compiled"])
    durable = "durable puts a second, {} putters, forced, by each broker's fastest client"
    rows = [
        few_row(durable.format(64), rivals, "64 putters / {}", (NATS, RABBIT, REDIS)),
        few_row(durable.format(16), rivals, "16 putters / {}", (NATS, RABBIT, REDIS)),
        few_row(
            "the same with 64, NATS as it comes: confirmed, **not forced**",
            rivals,
            "64 putters / {}",
            (NATS_AS_IT_COMES, "", ""),
        ),
        few_row(
            "messages a second, transient, clients in Python",
            network,
            "transient stream / {}",
            ("NATS", "RabbitMQ", "Redis"),
        ),
        few_row(
            "round trips a second, 5 requesters, 4 repliers, clients in Python",
            network,
            "5 requesters, 4 repliers / {}",
            ("NATS", "RabbitMQ", "Redis"),
        ),
    ]
    machines = " and ".join(
        f"{results[name]['machine']['processors']} (the {which})"
        for name, which in (("rivals", "first three"), ("network", "last two"))
    )
    return "\n".join(
        [
            "| | TernMQ | NATS | RabbitMQ | Redis |",
            "| --- | --- | --- | --- | --- |",
            *rows,
            "",
            f"{machines}, client and server on the same machine, 2 KB a message, medians of",
            f"{results['rivals']['rounds']} rounds in turns.",
            "",
        ]
    )


def rates_of(part: list[dict[str, Any]]) -> dict[str, tuple[float, float]]:
    """Our rate and the rival's, by the name of the figure."""
    figures = [figure_from_json(one) for one in part]
    return {
        one.name: (one.value, one.baseline_value)
        for one in figures
        if one.value is not None and one.baseline_value is not None
    }


def few_row(
    label: str, rates: dict[str, tuple[float, float]], name: str, rivals: tuple[str, str, str]
) -> str:
    pairs = [rates[name.format(rival)] if rival else None for rival in rivals]
    ours = next(pair[0] for pair in pairs if pair is not None)
    cells = ["" if pair is None else short(pair[1]) for pair in pairs]
    return f"| {label} | {short(ours)} | {' | '.join(cells)} |"


PAGES: Final[tuple[tuple[str, str, Callable[[Results], str]], ...]] = (
    ("README.md", "figures", few_of),
    ("docs/operations/benchmarks.md", "engine", table_of),
    ("docs/operations/benchmarks.md", "figures", rivals_of),
)


def main() -> None:
    results = {
        path.stem: json.loads(path.read_text(encoding="utf-8"))
        for path in sorted(RESULTS.glob("*.json"))
    }
    for page, mark, make in PAGES:
        path = ROOT / page
        text = path.read_text(encoding="utf-8")
        before, begin, rest = text.partition(BEGIN.format(mark))
        _, end, after = rest.partition(END.format(mark))
        if not begin or not end:
            raise SystemExit(f"{page}: the marks of tools/generate_figures.py are missing")
        wanted = before + begin + make(results) + end + after
        if "--check" not in sys.argv[1:]:
            path.write_text(wanted, encoding="utf-8")
        elif wanted != text:
            raise SystemExit(f"{page}: the figures are not those of benchmarks/results")


if __name__ == "__main__":
    main()
