"""The screen of `ternmq top`: one table at a time, a line about the queue manager, keys.

It shows what `watching` gives it and asks nothing itself. Samples are taken in a thread, so that
keys work while a queue manager is slow to answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import ClassVar, Final

from rich.text import Text
from textual import events
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import DataTable, Footer, Input, Static

from ternmq.base.errors import MQError
from ternmq.base.visible_text import visible_in_line
from ternmq.cli.top.cells import cell_text
from ternmq.cli.top.columns import QUEUE_MANAGER, QUEUES, VIEWS, Column, View
from ternmq.cli.top.snapshot import Row, Snapshot, chosen

ROWS_MAX: Final = 500  # of one table; a filter finds the others
_SUMMARY: Final = ("messages", "put_rate", "get_rate", "connections", "channels", "log_used")
_UP: Final = "▲"
_DOWN: Final = "▼"


class Help(ModalScreen[None]):
    """Keys, and what the columns of the view mean."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,question_mark", "app.pop_screen")]
    CSS = """
    Help { align: center middle; }
    #help { width: 84; max-width: 95%; height: auto; max-height: 90%; border: round $primary;
            background: $surface; padding: 0 2; }
    """

    def __init__(self, view: View) -> None:
        super().__init__()
        self._view = view

    def compose(self) -> ComposeResult:
        """One text."""
        with VerticalScroll(id="help"):
            yield Static(help_text(self._view), markup=False)


def help_text(view: View) -> str:
    """The keys from their table, the columns from theirs."""
    keys = [f"  {one.key_display or one.key:<10} {one.tooltip or one.description}" for one in KEYS]
    columns = [f"  {one.title:<14} {one.about}" for one in view.columns]
    return "\n".join(
        ["Keys", *keys, "", f"Columns of {view.title.lower()}", *columns, "",
         "– is a figure that is not measured, or needs one more sample.",  # noqa: RUF001
         "Calls are counted while accounting is on: ALTER QMGR ACCTMQI(ON).", "", "Esc: back"]
    )  # fmt: skip


def _label(view: View) -> str:
    """What the last line has room for."""
    return "QMGR" if view is QUEUE_MANAGER else view.title


KEYS: Final[tuple[Binding, ...]] = (
    *(
        Binding(str(number), f"view('{view.name}')", _label(view), tooltip=f"show {view.title}")
        for number, view in enumerate(VIEWS, 1)
    ),
    Binding("tab", "next_view", show=False, priority=True, tooltip="show the next view"),
    Binding("s", "sort", "Sort", tooltip="sort by the next column; a click on a title does, too"),
    Binding("r", "reverse", "Reverse", tooltip="the other order"),
    Binding("slash", "filter", "Filter", key_display="/", tooltip="only rows with this text"),
    Binding("a", "system", "SYSTEM.", tooltip="with or without objects named SYSTEM."),
    Binding("p", "pause", "Pause", tooltip="stop and continue the samples"),
    Binding("question_mark", "help", "Help", key_display="?", tooltip="this text"),
    Binding("q", "quit", "Quit", tooltip="end"),
)


class TopApp(App[None]):
    """The screen."""

    TITLE = "ternmq top"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [*KEYS, Binding("escape", "unfilter", show=False)]
    CSS = """
    #summary { height: 1; padding: 0 1; background: $panel; }
    #state { height: 1; padding: 0 1; }
    #filter { height: 3; display: none; }
    DataTable { height: 1fr; }
    """

    def __init__(self, sample: Callable[[], Snapshot], interval_s: float) -> None:
        super().__init__()
        self._sample = sample
        self._interval_s = interval_s
        self._is_asking = False
        self._problem = ""
        self.snapshot: Snapshot | None = None
        self.view = QUEUES
        self.order = {view.name: (view.order, view.descending) for view in VIEWS}
        self.filter_text = ""
        self.with_system = False
        self.is_paused = False

    def compose(self) -> ComposeResult:
        """Two lines, the table, the keys."""
        yield Static(id="summary")
        yield Static(id="state")
        yield Input(
            placeholder="only rows with this text; Enter keeps it, Esc ends it", id="filter"
        )
        yield DataTable(id="table", cursor_type="row", zebra_stripes=True)
        yield Footer(compact=True)

    async def on_mount(self) -> None:
        """Begin with a sample; the table is there when the screen is."""
        self.query_one(DataTable).focus()
        self.set_interval(self._interval_s, self.take_sample)
        await self.take_sample()

    async def take_sample(self) -> None:
        """One more sample, unless the last one is still under way."""
        if self.is_paused or self._is_asking:
            return
        self._is_asking = True
        try:
            self.snapshot = await asyncio.to_thread(self._sample)
            self._problem = ""
        except MQError as error:
            self._problem = str(error)
        finally:
            self._is_asking = False
        self.show()

    # ---- what is shown

    def show(self) -> None:
        """Everything, from the last snapshot and the choices of the user."""
        if not self.query("#table"):
            return  # not composed yet, or ended while a sample was taken
        self.query_one("#summary", Static).update(self._summary())
        found = self._rows()
        self.query_one("#state", Static).update(self._state(len(found)))
        self._fill(found[:ROWS_MAX])

    def _rows(self) -> list[Row]:
        if self.snapshot is None:
            return []
        order, descending = self.order[self.view.name]
        rows = self.snapshot.rows[self.view.name]
        return chosen(self.view, rows, order, descending, self.filter_text, self.with_system)

    def _summary(self) -> Text:
        if self.snapshot is None:
            return Text("ternmq top")
        row = self.snapshot.queue_manager
        parts = [_styled(self.snapshot.name, "bold") + Text(" ") + _styled(row.get("status") or "")]
        if row:
            columns = [QUEUE_MANAGER.column(key) for key in _SUMMARY]
            parts += [
                Text(f"{one.title} ") + _styled(cell_text(one, row[one.key]), "bold")
                for one in columns
            ]
        return Text("  ").join([*parts, _styled(self.snapshot.time[11:19])])

    def _state(self, count: int) -> Text:
        """What is shown, and what keeps it from being more."""
        order, descending = self.order[self.view.name]
        parts = [_styled(self.view.title, "bold")]
        if self.view is not QUEUE_MANAGER:
            shown = f"{count}" if count <= ROWS_MAX else f"{ROWS_MAX} of {count}: / filters"
            by = f"by {self.view.column(order).title} {_DOWN if descending else _UP}"
            parts += [Text(shown), Text(by)]
        if self.filter_text:
            parts.append(_styled(f"with '{self.filter_text}'"))
        if self.view is QUEUES and not self.with_system:
            parts.append(Text("without SYSTEM."))
        if self.is_paused:
            parts.append(_styled(" paused ", "reverse"))
        hidden = self.snapshot.hidden.get(self.view.name, "") if self.snapshot else ""
        if hidden:
            parts.append(_styled(f"not shown: {hidden}", "yellow"))
        if self._problem:
            parts.append(_styled(self._problem, "red"))
        return Text("  ").join(parts)

    def _fill(self, rows: list[Row]) -> None:
        table = self.query_one(DataTable)
        place, scroll = table.cursor_row, table.scroll_y
        table.clear(columns=True)
        if self.view is QUEUE_MANAGER:
            table.add_columns("Figure", "Value", "What it is")
            for row in rows:
                for one in self.view.columns:
                    table.add_row(one.title, _cell(one, row), Text(one.about, style="dim"))
        else:
            for one in self.view.columns:
                table.add_column(self._title(one), key=one.key)
            table.add_rows([_cell(one, row) for one in self.view.columns] for row in rows)
        table.move_cursor(row=min(place, max(0, table.row_count - 1)), animate=False)
        table.scroll_y = scroll

    def _title(self, column: Column) -> Text:
        order, descending = self.order[self.view.name]
        sign = f" {_DOWN if descending else _UP}" if column.key == order else ""
        return Text(column.title + sign, justify="left" if column.is_text else "right")

    # ---- keys

    def action_view(self, name: str) -> None:
        """Show another table."""
        self.view = next(view for view in VIEWS if view.name == name)
        self.query_one(DataTable).move_cursor(row=0, animate=False)
        self.show()

    def action_next_view(self) -> None:
        """The one after this."""
        place = VIEWS.index(self.view) + 1
        self.action_view(VIEWS[place % len(VIEWS)].name)

    def action_sort(self) -> None:
        """By the next column; figures begin with the largest."""
        keys = [one.key for one in self.view.columns]
        place = keys.index(self.order[self.view.name][0]) + 1
        self._sort_by(self.view.columns[place % len(keys)])

    def _sort_by(self, column: Column) -> None:
        self.order[self.view.name] = (column.key, not column.is_text)
        self.show()

    def action_reverse(self) -> None:
        """The other order."""
        key, descending = self.order[self.view.name]
        self.order[self.view.name] = (key, not descending)
        self.show()

    def on_data_table_header_selected(self, event: DataTable.HeaderSelected) -> None:
        """A click on a title sorts; a second one reverses."""
        key = str(event.column_key.value)
        if key == self.order[self.view.name][0]:
            self.action_reverse()
        elif self.view is not QUEUE_MANAGER:
            self._sort_by(self.view.column(key))

    def action_filter(self) -> None:
        """Ask for a text."""
        field = self.query_one("#filter", Input)
        field.display = True
        field.focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Rows follow each letter."""
        self.filter_text = event.value
        self.show()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """The text stays, the field goes."""
        self._close_filter()

    def action_unfilter(self) -> None:
        """All rows again."""
        self.query_one("#filter", Input).value = ""
        self.filter_text = ""
        self._close_filter()
        self.show()

    def _close_filter(self) -> None:
        self.query_one("#filter", Input).display = False
        self.query_one(DataTable).focus()

    def action_system(self) -> None:
        """With or without SYSTEM. objects."""
        self.with_system = not self.with_system
        self.show()

    async def action_pause(self) -> None:
        """Stop the samples, or go on at once."""
        self.is_paused = not self.is_paused
        self.show()
        await self.take_sample()

    def action_help(self) -> None:
        """Keys and columns."""
        self.push_screen(Help(self.view))

    def on_resize(self, event: events.Resize) -> None:
        """Nothing is cut that now has room."""
        self.show()


def _styled(value: object, style: str = "") -> Text:
    """A text as it is, without markup: names are their users' to choose."""
    return Text(visible_in_line(value), style=style)


def _cell(column: Column, row: Row) -> Text:
    text = cell_text(column, row[column.key])
    return Text(text, justify="left" if column.is_text else "right")
