"""Goal: pages of reports are one file, safe, and a real browser shows what they say.

Method: numbers and charts from known values; a page opened in Chromium, in the light and in the
dark, sorted, searched and pointed at by a script that stands at its end.
"""

import json
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from html import unescape
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import pytest

from ternmq.spark.report import report_data
from ternmq.spark.report.charts import (
    BOTTOM,
    HEIGHT,
    Bar,
    Mark,
    Series,
    bars,
    histogram,
    lines,
    sparkline,
)
from ternmq.spark.report.numbers import (
    BYTE_RATE,
    BYTES,
    COUNT,
    MICROSECONDS,
    PERCENT,
    RATE,
    clock_ticks,
    shown,
    shown_interval,
    shown_period,
    shown_time_of,
    ticks,
)
from ternmq.spark.report.page import (
    SPARK,
    TEXT,
    Card,
    Column,
    Section,
    Tile,
    cards,
    grid,
    page,
    table,
    tiles,
)
from tests.unit.spark.browser import document, screenshot

BEGIN = datetime(2026, 11, 16, 11, 0, tzinfo=UTC)
TIMES = [BEGIN + timedelta(seconds=n) for n in range(60)]
browsing = pytest.mark.timeout(120)


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (None, COUNT, "\u2013"),
        (float("nan"), COUNT, "\u2013"),
        (0, COUNT, "0"),
        (12_345, COUNT, "12,345"),
        (2.5, COUNT, "2.5"),
        (1_234_567, COUNT, "1.23 M"),
        (840, RATE, "840/s"),
        (12_345, RATE, "12.3 k/s"),
        (4_200_000, BYTES, "4.2 MB"),
        (18e6, BYTE_RATE, "18 MB/s"),
        (0.5, MICROSECONDS, "0.5 µs"),
        (730, MICROSECONDS, "730 µs"),
        (12_400, MICROSECONDS, "12.4 ms"),
        (3_100_000, MICROSECONDS, "3.1 s"),
        (37, PERCENT, "37 %"),
    ],
)
def test_number_when_shown_then_short_with_its_unit(
    value: float | None, unit: str, text: str
) -> None:
    assert shown(value, unit) == text


@pytest.mark.parametrize("highest", [0, 0.003, 1, 7, 99, 101, 8_000, 123_456_789])
def test_ticks_when_made_then_few_even_and_above_the_highest(highest: float) -> None:
    found = ticks(highest)
    steps = {round(b - a, 9) for a, b in pairwise(found)}
    assert found[0] == 0
    assert found[-1] >= highest
    assert 2 <= len(found) <= 6
    assert len(steps) == 1


@pytest.mark.parametrize("span", [1, 59, 600, 86_400, 40 * 86_400, 7000 * 365 * 86_400])
def test_clock_ticks_when_made_then_inside_and_few(span: int) -> None:
    last = BEGIN + timedelta(seconds=span)
    found = clock_ticks(BEGIN, last)
    assert all(BEGIN <= moment <= last for moment in found)
    assert 1 <= len(found) <= 7


def test_period_when_shown_then_the_day_is_said_once() -> None:
    reported = shown_period(BEGIN, BEGIN + timedelta(seconds=59))
    assert reported == "16 November 2026, 11:00:00 to 11:00:59 UTC"


def test_cell_when_its_value_is_no_number_then_a_dash_and_nothing_breaks() -> None:
    rows = [{"a": value} for value in (float("nan"), float("inf"), None, "x", Decimal("2.5"))]
    html = table("T", [Column("a", "A", bar=True)], rows)
    assert html.count("\u2013</td>") == 4
    assert html.count('data-v="2.5"') == 1
    below = lines("L", TIMES[:2], [Series("A", [-5, 10])])
    _, path, *_ = below.split('class="line c1" d="')
    assert f" {HEIGHT - BOTTOM}" in path.partition('"')[0]


def test_sorting_when_numbers_are_large_then_it_is_by_all_their_digits() -> None:
    html = table("T", [Column("a", "A")], [{"a": 123_456_788}, {"a": 123_456_789}])
    assert 'data-v="123456788"' in html
    assert 'data-v="123456789"' in html


def test_moment_when_given_then_with_its_day_where_there_are_several() -> None:
    later = BEGIN + timedelta(seconds=60)
    assert shown_time_of(BEGIN, BEGIN, later) == "11:00:00 UTC"
    assert shown_time_of(BEGIN, BEGIN, BEGIN + timedelta(days=9)) == "16 Nov 11:00:00 UTC"
    next_year = BEGIN + timedelta(days=90)
    assert shown_time_of(BEGIN, BEGIN, next_year) == "16 Nov 2026 11:00:00 UTC"
    assert shown_interval(BEGIN, later, BEGIN, later) == "11:00:00 to 11:01:00 UTC"
    assert shown_interval(BEGIN, later, BEGIN, next_year) == (
        "16 Nov 2026 11:00:00 to 11:01:00 UTC"
    )


def test_line_when_values_are_missing_then_it_has_a_gap() -> None:
    html = lines("Depth", TIMES[:4], [Series("A", [1, None, 3, 4])])
    _, path, *_ = html.split('class="line c1" d="')
    assert path.partition('"')[0].count("M") == 2


@pytest.mark.parametrize(("values", "markers"), [(3, 3), (24, 24), (25, 0)])
def test_line_when_it_has_few_values_then_each_has_a_marker(values: int, markers: int) -> None:
    html = lines("Depth", TIMES[:values], [Series("A", [1.0] * values)])
    assert html.count('class="point c1"') == 2 * markers  # in each width


def test_axis_when_two_years_meet_then_it_has_the_year_and_always_the_zone() -> None:
    one = lines("Depth", TIMES[:3], [Series("A", [1, 2, 3])])
    assert "2026" not in one
    assert one.count(">UTC</text>") == 2
    days = [datetime(2015, 12, 28, tzinfo=UTC) + timedelta(days=n) for n in range(9)]
    both = lines("Depth", days, [Series("A", [1.0] * 9)])
    assert ">30 Dec 2015</text>" in both
    assert ">3 Jan 2016</text>" in both


def test_text_when_it_has_markup_then_it_is_escaped_everywhere() -> None:
    evil = "<script>alert(1)</script>"
    parts = [
        lines(evil, TIMES[:2], [Series(evil, [1, 2]), Series("b", [1, 2])], about=evil,
              marks=[Mark(TIMES[0], evil)]),
        bars(evil, [Bar(evil, 1, evil)], about=evil),
        table(evil, [Column("a", evil, TEXT), Column("b", evil)], [{"a": evil, "b": 1}] * 12),
        cards([Card(evil, evil, evil)]),
        tiles([Tile(evil, evil, evil)]),
    ]  # fmt: skip
    html = page(evil, evil, [Section(evil, grid(parts), evil)], [evil])
    assert "<script>alert" not in html


def sample() -> str:
    rows = [
        {"queue": f"Q{n:02}", "puts": (n * 7) % 13 * 100, "line": sparkline([1, n, 3])}
        for n in range(13)
    ]
    rows[3]["puts"] = None
    columns = [
        Column("queue", "Queue", TEXT),
        Column("puts", "Put", bar=True),
        Column("line", "Depth", SPARK),
    ]
    values = [float(n % 17) for n in range(60)]
    chart = lines("Depth", TIMES, [Series("ORDERS", values, True), Series("REPLIES", values[::-1])])
    spread = histogram("Latency", [0, 1, 2, 3], [5, 9, 1], unit=MICROSECONDS)
    inside = grid([chart, spread, table("Queues", columns, rows)])
    return page("QM1", "now", [Section("Queues", inside)])


def opened(folder: Path, script: str = "", shade: str = "light") -> Path:
    """The sample as a file, with a script at its end that does what a person would."""
    html = sample().replace('<html lang="en">', f'<html lang="en" data-shade="{shade}">')
    path = folder / f"{shade}.html"
    path.write_text(html.replace("</body>", f"<script>{script}</script></body>"), encoding="utf-8")
    return path


def test_page_when_made_then_it_needs_nothing_else() -> None:
    html = sample()
    for word in ("http:", "https:", "src=", "@import", "url(", "<link"):
        assert word not in html


@browsing
@pytest.mark.parametrize(
    ("shade", "paper", "line"),
    [("light", (246, 246, 243), "#1f78c8"), ("dark", (16, 19, 22), "#5aa9ee")],
)
def test_page_when_a_browser_shows_it_then_its_colours_are_those_of_the_shade(
    tmp_path: Path, shade: str, paper: tuple[int, int, int], line: str
) -> None:
    picture = screenshot(opened(tmp_path, shade=shade), tmp_path / f"{shade}.png", 800, 460)
    assert (picture.width, picture.height) == (800, 460)
    assert picture.at(2, 2) == paper
    assert picture.count(line) > 100


# What a person would do with the page, and what is there to see after each.
VISIT = """
const names = () => [...document.querySelectorAll("tbody tr:not([hidden]) td.t")]
  .map((cell) => cell.textContent);
const told = {};
const press = () => document.querySelector("th[data-key=puts] button").click();
press();
told.falling = names();
press();
told.rising = names();
const field = document.querySelector("input");
field.value = "q1";
field.dispatchEvent(new Event("input"));
told.found = names();
const chart = document.querySelector("svg.chart");
const box = chart.getBoundingClientRect();
const x = box.left + (box.width * (58 + (570 * 20) / 59)) / 640;
chart.dispatchEvent(new PointerEvent("pointermove", { clientX: x, clientY: box.top + 40 }));
told.tip = document.getElementById("tip").innerText;
document.querySelector(".key").click();
told.off = document.querySelectorAll(".series.off").length;
document.getElementById("shade").click();
told.shade = document.documentElement.dataset.shade;
told.ready = document.documentElement.dataset.ready;
document.body.append(Object.assign(document.createElement("pre"), {
  id: "told", textContent: JSON.stringify(told),
}));
"""


@browsing
def test_page_when_used_then_it_sorts_finds_points_and_changes_its_shade(tmp_path: Path) -> None:
    html = document(opened(tmp_path, VISIT))
    values = json.loads(unescape(html.partition('<pre id="told">')[2].partition("</pre>")[0]))
    assert values["falling"][:2] == ["Q11", "Q09"]
    assert values["rising"][:2] == ["Q00", "Q02"]
    assert (
        values["falling"][-1] == values["rising"][-1] == "Q03"
    )  # it has no number, and stays last
    assert sorted(values["found"]) == ["Q10", "Q11", "Q12"]
    assert values["tip"].split() == ["11:00:20", "UTC", "ORDERS", "3", "REPLIES", "5"]
    # The line is hidden in each width of the chart.
    assert (values["off"], values["shade"], values["ready"]) == (2, "dark", "yes")


PHONE = """
const shown = [...document.querySelectorAll("svg.chart")]
  .filter((chart) => getComputedStyle(chart).display !== "none")
  .map((chart) => chart.viewBox.baseVal.width);
const text = document.querySelector("svg.w360 .tick");
parent.document.body.append(Object.assign(parent.document.createElement("pre"), {
  id: "told",
  textContent: JSON.stringify({
    shown, letters: text.getBoundingClientRect().height,
    over: document.documentElement.scrollWidth - innerWidth,
  }),
}));
"""


@browsing
def test_page_when_on_a_phone_then_charts_are_drawn_for_it_and_nothing_sticks_out(
    tmp_path: Path,
) -> None:
    inside = opened(tmp_path, PHONE).read_text(encoding="utf-8").replace('"', "&quot;")
    outside = tmp_path / "phone.html"
    frame = f'<iframe srcdoc="{inside}" style="width:390px;height:900px;border:0"></iframe>'
    outside.write_text(f"<!doctype html><body>{frame}</body>", encoding="utf-8")
    html = document(outside)
    values = json.loads(unescape(html.partition('<pre id="told">')[2].partition("</pre>")[0]))
    assert values["shown"] == [360, 360]
    assert values["letters"] >= 10
    assert values["over"] <= 0


@pytest.mark.parametrize(
    ("ended", "messages", "label", "value"),
    [
        (100, 200, "Cost of a transaction", "20 µs"),
        (100, 0, "Cost of a transaction", "20 µs"),
        (3, 1000, "Cost of a message", "2 µs"),
        (0, 1000, "Cost of a message", "2 µs"),
    ],
)
def test_cost_when_applications_use_no_units_then_it_is_that_of_a_message(
    ended: int, messages: int, label: str, value: str
) -> None:
    from ternmq.spark.report.page_sections import cost_tile

    tile = cost_tile(report_data.Costs(2000, 2000, ended, messages))
    assert tile is not None
    assert (tile.label, tile.value) == (label, value)


def test_cost_when_there_is_neither_transaction_nor_message_then_there_is_none() -> None:
    from ternmq.spark.report.page_sections import cost_tile

    assert cost_tile(report_data.Costs(2000, 0, 0, 0)) is None


def test_cost_when_some_applications_have_no_transactions_then_theirs_is_not_counted() -> None:
    pa = pytest.importorskip("pyarrow")
    from ternmq.spark.frames.frame import Frame
    from ternmq.spark.frames.functions import in_process
    from ternmq.spark.report.page_sections import cost_tile

    many = [
        {"cpu_us": 10, "transactions": 0, "puts": 0, "gets": 0} for _ in range(report_data.ROWS_MAX)
    ]
    one = {"cpu_us": 400, "transactions": 20, "puts": 20, "gets": 20}
    with in_process():
        found = report_data.costs(cast("Any", Frame.of(pa.Table.from_pylist([*many, one, one]))))
    tile = cost_tile(found)
    assert tile is not None
    assert (tile.label, tile.value) == ("Cost of a transaction", "20 µs")
