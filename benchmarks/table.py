"""The table for eyes: compiled and plain side by side, one block a benchmark."""

from __future__ import annotations

from benchmarks.figures import Figure, short

Block = dict[str, list[Figure]]  # build name -> figures

HEADINGS = ("", "compiled", "plain", "unit", "baseline", "", "x", "x plain", "goal", "")
LEFT = {0, 3, 4, 8, 9}


def verdict(figure: Figure) -> str:
    """One word that the eye finds."""
    met = figure.met()
    if met is None:
        return "" if figure.value is not None or figure.goal is None else "not measured"
    return "ok" if met else "MISSED"


def number(value: float | None) -> str:
    return "-" if value is None else short(value)


def rows_of(block: Block) -> list[tuple[tuple[str, ...], str]]:
    """The cells of each figure, and its note."""
    compiled = {figure.name: figure for figure in block.get("compiled", [])}
    plain = {figure.name: figure for figure in block.get("plain", [])}
    rows: list[tuple[tuple[str, ...], str]] = []
    for name in compiled or plain:
        one, other = compiled.get(name), plain.get(name)
        shown = one or other
        if shown is None:
            continue
        cells = (
            name,
            number(one.value if one else None),
            number(other.value if other else None),
            shown.unit,
            shown.baseline,
            number(shown.baseline_value),
            number(one.ratio if one else None),
            number(other.ratio if other else None),
            shown.goal_text,
            verdict(one) if one else plain_verdict(shown),
        )
        rows.append((cells, shown.note))
    return rows


def plain_verdict(figure: Figure) -> str:
    """Where only plain files ran: goals for the compiled build are not judged."""
    if figure.goal is not None and figure.goal.compiled_only:
        return "not judged"
    return verdict(figure)


def text_of(blocks: dict[str, tuple[str, Block]]) -> str:
    """The whole table; `blocks` is name -> (title, figures by build)."""
    tables = {name: rows_of(block) for name, (_, block) in blocks.items()}
    all_cells = [HEADINGS] + [cells for rows in tables.values() for cells, _ in rows]
    widths = [max(len(cells[at]) for cells in all_cells) for at in range(len(HEADINGS))]
    lines = []
    for name, (title, _) in blocks.items():
        lines += ["", f"{name}: {title}", "  " + line_of(HEADINGS, widths)]
        lines.append("  " + "-" * (sum(widths) + 2 * len(widths) - 2))
        for cells, note in tables[name]:
            lines.append("  " + line_of(cells, widths))
            if note:
                lines.append(f"      {note}")
    return "\n".join(lines)


def line_of(cells: tuple[str, ...], widths: list[int]) -> str:
    padded = [
        cell.ljust(width) if at in LEFT else cell.rjust(width)
        for at, (cell, width) in enumerate(zip(cells, widths))
    ]
    return "  ".join(padded).rstrip()
