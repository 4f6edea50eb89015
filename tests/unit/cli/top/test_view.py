"""Goal: the screen of `ternmq top` shows the rows, and every key does what its help says.

Method: Textual's pilot presses keys on a screen of 100 columns, over snapshots that the test makes;
the text of the screen is compared.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from textual.pilot import Pilot
from textual.widgets import DataTable, Input

from ternmq.base.errors import MQError
from ternmq.base.reasons import MQRC_CONNECTION_BROKEN
from ternmq.cli.top.columns import QUEUE_MANAGER, VIEWS, View
from ternmq.cli.top.snapshot import Cell, Row, Snapshot
from ternmq.cli.top.view import KEYS, ROWS_MAX, TopApp, help_text

Scene = Callable[[TopApp, Pilot[None]], Awaitable[None]]
NEVER_S = 1e6  # the test takes the samples


def row(view: View, **values: Cell) -> Row:
    return {one.key: None for one in view.columns} | values


def made(count: int = 0, **hidden: str) -> Snapshot:
    queues, connections, channels, _ = VIEWS
    more = [row(queues, queue=f"Q{number:04}", depth=0) for number in range(count)]
    rows: dict[str, list[Row]] = {
        "queues": [
            row(queues, queue="ORDERS", depth=1200, full=0.24, put_rate=10.5, oldest=75),
            row(queues, queue="[INVOICES", depth=3, put_rate=99.0),
            row(queues, queue="SYSTEM.EVENTS", depth=5000),
            *more,
        ],
        "connections": [row(connections, application="till", user="fred", calls=7)],
        "channels": [row(channels, channel="TO.QM2", status="RUNNING", message_rate=2.0)],
        "queue_manager": [row(QUEUE_MANAGER, name="QM1", status="RUNNING", messages=6203)],
    }
    if "queue_manager" in hidden:
        rows["queue_manager"] = []
    return Snapshot("QM1", "2026-11-18T12:34:56+00:00", 2.0, rows, hidden)


def play(scene: Scene, sample: Callable[[], Snapshot] = made) -> None:
    async def run() -> None:
        app = TopApp(sample, NEVER_S)
        async with app.run_test(size=(100, 24)) as pilot:
            await pilot.pause()
            await scene(app, pilot)

    asyncio.run(run())


def lines(app: TopApp) -> list[str]:
    """The screen as text."""
    width = app.size.width
    strips = app.screen._compositor.render_strips(app.size)
    return ["".join(part.text for part in strip)[:width].rstrip() for strip in strips]


async def sampled(app: TopApp, pilot: Pilot[None]) -> None:
    """One more sample, and the screen is drawn."""
    await app.take_sample()
    await pilot.pause()


def first_words(app: TopApp) -> list[str]:
    """The first column of the table."""
    table = app.query_one(DataTable)
    return [str(table.get_row_at(place)[0]) for place in range(table.row_count)]


def test_screen_when_it_begins_then_queues_the_deepest_first() -> None:
    async def scene(app: TopApp, pilot: Pilot[None]) -> None:
        assert lines(app)[:5] == [
            " QM1 RUNNING  Messages 6,203  Put/s –  Get/s –  Connections –  Channels –  Log used –"  # noqa: RUF001
            "  12:34:56",
            " Queues  2  by Depth ▼  without SYSTEM.",
            " Queue      Depth ▼  Full  Put/s  Get/s  Oldest  In  Out  Uncommitted  Files",
            " ORDERS       1,200  24 %   10.5      –  1m 15s   –    –  –                –",  # noqa: RUF001
            " [INVOICES        3     –   99.0      –       –   –    –  –                –",  # noqa: RUF001
        ]
        keys = (
            "1 Queues 2 Connections 3 Channels 4 QMGR s Sort r Reverse / Filter a SYSTEM. p Pause"
        )
        assert lines(app)[-1].split() == [*keys.split(), "?", "Help", "q", "Quit"]

    play(scene)


def test_views_when_their_keys_are_pressed_then_each_is_shown() -> None:
    async def scene(app: TopApp, pilot: Pilot[None]) -> None:
        for number, (view, word) in enumerate(
            zip(VIEWS, ("ORDERS", "till", "TO.QM2", "Name"), strict=True), 1
        ):
            await pilot.press(str(number))
            assert app.view is view
            assert lines(app)[1].startswith(f" {view.title}")
            assert first_words(app)[0] == word
        await pilot.press("tab")
        assert app.view is VIEWS[0]
        await pilot.press("tab")
        assert app.view is VIEWS[1]

    play(scene)


def test_sort_when_its_keys_are_pressed_then_the_order_changes() -> None:
    async def scene(app: TopApp, pilot: Pilot[None]) -> None:
        await pilot.press("r")
        assert first_words(app) == ["[INVOICES", "ORDERS"]
        await pilot.press("s", "s")  # from Depth over Full to Put/s, the largest first
        assert lines(app)[1] == " Queues  2  by Put/s ▼  without SYSTEM."
        assert first_words(app) == ["[INVOICES", "ORDERS"]
        await pilot.click(DataTable, offset=(2, 0))  # the title of the first column
        assert lines(app)[1] == " Queues  2  by Queue ▲  without SYSTEM."
        await pilot.click(DataTable, offset=(2, 0))
        assert lines(app)[1] == " Queues  2  by Queue ▼  without SYSTEM."

    play(scene)


def test_filter_when_a_text_is_typed_then_rows_follow_it() -> None:
    async def scene(app: TopApp, pilot: Pilot[None]) -> None:
        await pilot.press("slash", *"oices")
        assert first_words(app) == ["[INVOICES"]
        await pilot.press("enter")
        assert app.query_one("#filter", Input).display is False
        assert lines(app)[1] == " Queues  1  by Depth ▼  with 'oices'  without SYSTEM."
        await pilot.press("escape")
        assert first_words(app) == ["ORDERS", "[INVOICES"]

    play(scene)


def test_system_objects_when_asked_for_then_they_are_there() -> None:
    async def scene(app: TopApp, pilot: Pilot[None]) -> None:
        await pilot.press("a")
        assert first_words(app) == ["SYSTEM.EVENTS", "ORDERS", "[INVOICES"]
        await pilot.press("a")
        assert first_words(app) == ["ORDERS", "[INVOICES"]

    play(scene)


def test_pause_when_pressed_then_no_sample_is_taken_until_it_is_pressed_again() -> None:
    taken: list[int] = []

    def sample() -> Snapshot:
        taken.append(1)
        return made()

    async def scene(app: TopApp, pilot: Pilot[None]) -> None:
        assert len(taken) == 1
        await pilot.press("p")
        await sampled(app, pilot)
        assert len(taken) == 1
        assert "paused" in lines(app)[1]
        await pilot.press("p")
        await pilot.pause()
        assert len(taken) == 2
        assert "paused" not in lines(app)[1]

    play(scene, sample)


def test_help_when_asked_for_then_all_keys_and_columns_of_the_view() -> None:
    async def scene(app: TopApp, pilot: Pilot[None]) -> None:
        await pilot.press("question_mark")
        text = "\n".join(lines(app))
        assert "sort by the next column" in text
        await app.take_sample()  # behind it, the screen goes on
        await pilot.press("escape")
        assert first_words(app) == ["ORDERS", "[INVOICES"]

    play(scene)
    for view in VIEWS:
        text = help_text(view)
        assert [one.tooltip for one in KEYS if one.tooltip not in text] == []
        assert [one.about for one in view.columns if one.about not in text] == []


def test_quit_when_pressed_then_it_ends() -> None:
    async def scene(app: TopApp, pilot: Pilot[None]) -> None:
        await pilot.press("q")
        await pilot.pause()
        assert app.is_running is False

    play(scene)


def test_screen_when_the_user_may_not_see_it_then_the_reason_is_there() -> None:
    async def scene(app: TopApp, pilot: Pilot[None]) -> None:
        assert lines(app)[0] == " QM1   12:34:56"
        await pilot.press("4")
        assert lines(app)[1] == " Queue manager  not shown: user 'x' lacks dsp on qmgr QM1"

    play(scene, lambda: made(queue_manager="user 'x' lacks dsp on qmgr QM1"))


def test_screen_when_the_connection_breaks_then_the_last_rows_and_the_error_stay() -> None:
    answers = [made()]

    def sample() -> Snapshot:
        if answers:
            return answers.pop()
        raise MQError(2, MQRC_CONNECTION_BROKEN, verb="DISPLAY")

    async def scene(app: TopApp, pilot: Pilot[None]) -> None:
        await sampled(app, pilot)
        assert "MQRC_CONNECTION_BROKEN (2009)" in lines(app)[1]
        assert first_words(app) == ["ORDERS", "[INVOICES"]
        answers.append(made())
        await sampled(app, pilot)
        assert "MQRC" not in lines(app)[1]

    play(scene, sample)


def test_table_when_there_are_more_rows_than_fit_then_it_says_so() -> None:
    async def scene(app: TopApp, pilot: Pilot[None]) -> None:
        assert app.query_one(DataTable).row_count == ROWS_MAX
        assert lines(app)[1].startswith(f" Queues  {ROWS_MAX} of {ROWS_MAX + 102}: / filters")

    play(scene, lambda: made(ROWS_MAX + 100))


def test_filter_when_it_is_typed_like_markup_then_it_is_only_text() -> None:
    async def scene(app: TopApp, pilot: Pilot[None]) -> None:
        for text in ("[/", "[MQGET]", "\\", "[$x]", "[/b] [b"):
            await pilot.press("slash")
            app.query_one("#filter", Input).value = text
            await pilot.pause()
            assert f"with '{text}'" in lines(app)[1]
            await pilot.press("escape")

    play(scene)


def test_names_when_they_steer_terminals_then_they_are_shown_as_codes() -> None:
    def sample() -> Snapshot:
        shown = made(channels="see \x1b[31m")
        evil = "till\x1b]0;x\x07\x9b2J\nAMQ"
        shown.rows["connections"][0]["application"] = evil
        shown.rows["queue_manager"][0]["status"] = evil
        return shown

    async def scene(app: TopApp, pilot: Pilot[None]) -> None:
        evil = r"till\x1b]0;x\x07\x9b2J\x0aAMQ"
        assert f"QM1 {evil}" in lines(app)[0]
        await pilot.press("2")
        await pilot.pause()
        assert evil in "\n".join(lines(app))
        await pilot.press("3")
        await pilot.pause()
        assert r"not shown: see \x1b[31m" in lines(app)[1]
        text = "".join(lines(app))
        assert text == text.replace("\x1b", "").replace("\x9b", "")

    play(scene, sample)


def test_error_when_it_has_brackets_then_all_of_it_is_shown() -> None:
    def fails() -> Snapshot:
        raise MQError(2, MQRC_CONNECTION_BROKEN, verb="MQGET")

    async def scene(app: TopApp, pilot: Pilot[None]) -> None:
        await pilot.resize_terminal(300, 24)
        await pilot.pause()
        assert "[MQGET]" in lines(app)[1]

    play(scene, fails)
