"""Goal: the page of a run shows every workload, what changed, and needs nothing but itself.

Method: pages of figures made here, without Spark; one of them is opened in Chromium, where a script
at its end does what a person would.
"""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from ternmq.spark.report.perf_page import Figure, Mark, Sheet, Story, page_of
from tests.unit.spark.browser import document

COSTS = "CPU µs/transaction"


def sheet(title: str, marks: list[Mark], cost_unit: str = COSTS) -> Sheet:
    return Sheet(
        "Private queue", title, "What it does.", "pairs", "transactions/s", cost_unit, marks
    )


def story(*sheets: Sheet, earlier: str = "", differences: tuple[str, ...] = ()) -> Story:
    return Story("today", sheets, [("processors", "2")], earlier, differences)


def curve(changes: dict[int, str]) -> list[Mark]:
    """Five points; those that are named left the band."""
    return [
        Mark(str(n), "", Figure(100.0 * n, 90.0 * n, changes.get(n, "within")), Figure(10.0, 10.0))
        for n in range(1, 6)
    ]


class Ends(HTMLParser):
    """Counts what is opened and not closed, of what must be."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("section", "figure", "svg", "table", "g", "div", "li"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self.open and self.open[-1] == tag:
            self.open.pop()


def test_page_stands_by_itself() -> None:
    page = page_of(story(sheet("Scaling", curve({}))))
    assert not re.search(r"(?:src|href)=\"(?!#)|url\(|@import", page)
    ends = Ends()
    ends.feed(page)
    assert ends.open == []
    assert "There is no earlier run" in page


def test_every_sheet_has_charts_and_table() -> None:
    page = page_of(story(sheet("Scaling", curve({})), sheet("Memory", curve({}), cost_unit="")))
    assert page.count('<svg class="chart w640"') == 3  # Memory has no cost
    assert page.count("<table>") == 3  # and that of the machine
    assert '<h3 class="sheet">Scaling</h3><p class="about">What it does.</p>' in page
    assert page.count("<p>transactions/s, by pairs</p>") == 2
    assert page.count(f"<p>{COSTS}, by pairs</p>") == 1
    assert page.count("<h3>Memory</h3>") == 1


def test_what_left_the_band_is_said_first() -> None:
    reported = story(
        sheet("Scaling", curve({2: "better", 4: "worse"})),
        earlier="run one",
        differences=("build: plain now, compiled before",),
    )
    page = page_of(reported)
    assert page.count('class="verdict worse"') == 1
    assert page.count('class="verdict better"') == 1
    assert page.index("Scaling: worse") < page.index("Scaling: better")
    assert "pairs 4: 400 transactions/s, was 360 (+11.1\u00a0%)." in page
    assert "build: plain now" in page
    assert "± 6\u00a0%" in page
    assert '<td class="n worse" data-v="11.1111111111111">+11.1\u00a0% worse</td>' in page
    assert '<td class="n within" data-v="11.1111111111111">+11.1\u00a0%</td>' in page


def test_nothing_changed_is_good_news() -> None:
    page = page_of(story(sheet("Scaling", curve({})), earlier="run one"))
    assert "Every figure is within 6\u00a0%." in page


def test_what_was_counted_differently_is_reported_without_an_earlier_run() -> None:
    reported = story(sheet("Scaling", curve({})))._replace(doubts=["single: 7 by SMF, 8 <else>"])
    assert "single: 7 by SMF, 8 &lt;else&gt;" in page_of(reported)
    many = page_of(reported._replace(doubts=[f"point {n}" for n in range(20)]))
    assert many.count("Counted differently") == 6
    assert "and 15 other points" in many


def test_few_points_are_columns_and_many_a_line() -> None:
    few = [Mark("2 KB", "a", Figure(5.0, 4.0, "better"), Figure(None)),
           Mark("2 KB", "b", Figure(None), Figure(1.0))]  # fmt: skip
    page = page_of(story(sheet("Single", few)))
    assert page.count('class="column"') == 2
    assert page.count('class="column earlier"') == 1
    assert page.count('class="limits"') == 1
    assert 'class="band"' not in page
    assert 'class="band"' in page_of(story(sheet("Scaling", curve({}))))


def test_pointer_is_answered_with_both_runs() -> None:
    page = page_of(story(sheet("Scaling", curve({}))))
    carried = re.findall(r'class="points">(.*?)</script>', page)
    points = json.loads(carried[0])
    assert points["t"] == ["1", "2", "3", "4", "5"]
    assert points["s"][0]["v"][0] == "100  (was 90, +11.1 %)"
    assert points["x"] == sorted(points["x"])


def test_what_people_write_is_escaped() -> None:
    page = page_of(story(sheet("<script>x</script>", curve({}))))
    assert "<script>x" not in page


VISIT = """
const chart = document.querySelector("svg.chart");
const box = chart.getBoundingClientRect();
const at = {clientX: box.right - 30, clientY: box.top + 40};
chart.dispatchEvent(new PointerEvent("pointermove", at));
const ring = getComputedStyle(chart.querySelector(".verdict.worse"));
const band = chart.querySelector(".band").getBBox();
document.title = JSON.stringify({
  tip: document.getElementById("tip").innerText.replaceAll("\\n", " "),
  ring: ring.stroke, band: band.width > 300 && band.height > 50, wide: box.width,
});
"""


@pytest.mark.timeout(120)
def test_browser_draws_bands_and_rings_and_answers_a_pointer(tmp_path: Path) -> None:
    html = page_of(story(sheet("Scaling", curve({5: "worse"})), earlier="run one"))
    html = html.replace('<html lang="en">', '<html lang="en" data-shade="light">')
    path = tmp_path / "perf.html"
    path.write_text(html.replace("</body>", f"<script>{VISIT}</script></body>"), encoding="utf-8")
    title = re.search(r"<title>(.*?)</title>", document(path))
    assert title is not None
    values = json.loads(title[1])
    assert "was 450, +11.1 %" in values["tip"]
    assert values["ring"] == "rgb(179, 84, 30)"  # the page's colour of a warning
    assert values["band"]
    assert values["wide"] > 300
