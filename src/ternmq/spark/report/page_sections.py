"""The sections of a page about queue managers.

Each is a function that takes what the page shares (report_parts), asks report_data and answers with
a section, or with nothing where there is nothing to show.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from ternmq.spark.report import report_data as data
from ternmq.spark.report.charts import COLOURS, Bar, Mark, bars, histogram, sparkline
from ternmq.spark.report.numbers import BYTE_RATE, BYTES, MICROSECONDS, PERCENT, RATE, shown, top_of
from ternmq.spark.report.page import SPARK, TEXT, Card, Column, Section, Tile, cards, grid, table
from ternmq.spark.report.page_parts import (
    Maker,
    add_calls,
    add_depth,
    add_rates,
    chart,
    mean,
    only,
    relabelled,
    spark_of,
)
from ternmq.spark.report.report_data import Lines, moment_of

LINES_MAX: Final = 8
BARS_MAX: Final = 8
SPARKS_MAX: Final = 40
MARKS_MAX: Final = 12
RULES: Final[Mapping[str, str]] = {
    "polling": "Polling",
    "missing index": "An index is missing",
    "selector scan": "A selector scans a deep queue",
    "log bound": "The log is the limit",
    "buffers short": "Buffers are short",
    "empty batches": "Batches do not fill",
}
# More for each commit than this, and applications work outside units of work.
MESSAGES_IN_A_UNIT: Final = 100


def findings(maker: Maker) -> Section | None:
    """What deserves a look: rules and anomalies, in words."""
    some: list[Card] = []
    if maker.has("findings"):
        rows = data.finding_rows(maker.tables["findings"])
        maker.findings = sum(row["alike"] for row in rows if row["place"] == 1)
        for row in rows:
            some.append(finding_card(maker, row))
            if row["place"] == data.ALIKE_MAX < row["alike"]:
                more = f"{row['alike'] - data.ALIKE_MAX:,} others like these are in the table."
                some.append(Card(rule_name(row), more, level="warning"))
    if maker.has("anomalies"):
        maker.anomalies = data.anomaly_rows(maker.tables["anomalies"])
        some += [anomaly_card(maker, row) for row in maker.anomalies[:MARKS_MAX]]
        others = maker.survey.rows["anomalies"] - MARKS_MAX
        if others > 0:
            some.append(Card("And more", f"{others:,} other anomalies are in the table."))
    if not some and "findings" not in maker.tables:
        return None
    if not some:
        quiet = (
            "No rule found anything: no polling, no missing index, no selector that scans, "
            "log and buffers in bounds."
        )
        some.append(Card("All quiet", quiet, level="good"))
    return Section("Findings", cards(some))


def finding_card(maker: Maker, row: Mapping[str, Any]) -> Card:
    note = f"{row['queue_manager']}"
    if row["last"] is not None:
        note += f", last at {maker.time_of(moment_of(row['last']))}"
    if row["times"] > 1:
        note += f", {row['times']:,} times"
    return Card(rule_name(row), row["words"] or row["object"] or "", note, "warning")


def rule_name(row: Mapping[str, Any]) -> str:
    return RULES.get(row["rule"], str(row["rule"]).capitalize())


def anomaly_card(maker: Maker, row: Mapping[str, Any]) -> Card:
    score = "" if row["score"] is None else f", score {row['score']:.1f}"
    note = f"{row['queue_manager']}, {maker.time_of(moment_of(row['at']))}{score}"
    return Card(rule_name(row), row["words"] or row["queue"] or "", note, "notice")


def queues(maker: Maker) -> Section | None:
    """Rates, depths, time on queue; a table of all."""
    if not maker.has("queues"):
        return None
    table_of_queues = maker.tables["queues"]
    name = maker.survey.named("queue")
    rows = data.queue_rows(table_of_queues, name)
    rates = data.message_rates(table_of_queues, maker.period)
    if rates:
        add_rates(maker, rates, rows[0]["all_puts"])
    deepest = sorted((r for r in rows if r["deepest"]), key=lambda row: -row["deepest"])
    deep = [row["name"] for row in deepest[:LINES_MAX]]
    slow = names_with_waits(rows)[:LINES_MAX]
    wanted = list(dict.fromkeys([*deep, *slow, *(row["name"] for row in rows[:SPARKS_MAX])]))
    depths, waits = data.queue_lines(table_of_queues, name, maker.period, wanted)
    if deep:
        add_depth(maker, deepest[0], depths)
    for row in rows:
        row["line"] = sparkline(depths.values.get(row["name"], []), 3)
    # A queue has the same colour in both charts.
    colours = {one: n % COLOURS + 1 for n, one in enumerate(dict.fromkeys([*deep, *slow]))}
    charts = [
        chart(
            "Depth",
            only(depths, deep),
            about="the deepest queues, the highest of each moment",
            marks=marks(maker, depths),
            colours=colours,
        ),
        chart(
            "Time on queue",
            only(waits, slow),
            unit=MICROSECONDS,
            about="how long messages stayed, the busiest queues",
            colours=colours,
        ),
        busiest(rows),
        bars(
            "Deepest queues",
            [Bar(row["name"], row["deepest"]) for row in deepest[:BARS_MAX]],
            about="messages at the highest",
            colour=3,
        ),
    ]
    shown_charts = [one for one in charts if one]
    return Section("Queues", grid(shown_charts) + grid([queue_table(rows)]))


def busiest(rows: Sequence[Mapping[str, Any]]) -> str:
    some = [
        Bar(row["name"], row["puts"] + row["gets"], used_by(row))
        for row in rows[:BARS_MAX]
        if row["puts"] + row["gets"]
    ]
    return bars("Busiest queues", some, about="messages put and got")


def names_with_waits(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    return [row["name"] for row in rows if row["waited"]]


def used_by(row: Mapping[str, Any]) -> str:
    readers, writers = row["readers"] or 0, row["writers"] or 0
    if not readers and not writers:
        return ""
    return f"open by {readers} to read, by {writers} to write"


def marks(maker: Maker, depths: Lines) -> list[Mark]:
    """Anomalies that lie within the chart."""
    found = [Mark(moment_of(row["at"]), row["words"] or "") for row in maker.anomalies]
    if not depths:
        return []
    first, last = depths.times[0], depths.times[-1]
    return [mark for mark in found if first <= mark.at <= last][:MARKS_MAX]


def queue_table(rows: Sequence[Mapping[str, Any]]) -> str:
    return table(
        "Queues",
        [
            Column("name", "Queue", TEXT),
            Column("puts", "Put", bar=True),
            Column("gets", "Got"),
            Column("busiest", "Busiest", RATE),
            Column("depth", "Depth now"),
            Column("deepest", "Deepest"),
            Column("waited", "Time on queue", MICROSECONDS),
            Column("empty", "Gets of nothing"),
            Column("expired", "Expired"),
            Column("backed_out", "Backed out"),
            Column("line", "Depth over time", SPARK),
        ],
        rows,
    )


def latency(maker: Maker) -> Section | None:
    """Requests and their replies."""
    if not maker.has("exchanges"):
        return None
    exchanges = maker.tables["exchanges"]
    over_time = data.latency_lines(exchanges, maker.period)
    edges, counts = data.latency_histogram(exchanges)
    rows = data.latency_rows(exchanges, maker.survey.named)
    for row in rows:
        row["found_on"] = row["found_on"] if row["is_copy"] else ""
    if rows and rows[0]["50 %"] is not None:
        answered = rows[0]["all_answered"]
        median = rows[0]["50 %"]
        where = f"{'answered on' if rows[0]['is_copy'] else 'on'} {rows[0]['name']}"
        maker.tiles.append(
            Tile(
                "Reply within",
                shown(median, MICROSECONDS),
                f"half of {rows[0]['requests']:,} {where}",
                spark_of(over_time, "50 %", 4),
            )
        )
        maker.words.append(
            f"{answered:,} requests were answered, half of those {where} within "
            f"{shown(median, MICROSECONDS)}, 99 of a hundred within "
            f"{shown(rows[0]['99 %'], MICROSECONDS)}."
        )
    charts = [
        chart(
            "Latency of replies",
            over_time,
            unit=MICROSECONDS,
            about="half, 95 and 99 of a hundred came within",
        ),
        histogram(
            "How replies are spread", edges, counts, unit=MICROSECONDS, about="replies by latency"
        )
        if edges
        else "",
    ]
    columns = [
        *queue_columns(rows),
        Column("requests", "Requests", bar=True),
        Column("answered", "Answered"),
        *(Column(data.label(p), f"{data.label(p)} within", MICROSECONDS) for p in data.PERCENTILES),
        Column("longest", "Longest", MICROSECONDS),
    ]
    return Section(
        "Latency", grid([one for one in charts if one] + [table("Exchanges", columns, rows)])
    )


def queue_columns(rows: Sequence[Mapping[str, Any]]) -> list[Column]:
    """What the rows of exchanges are named by."""
    if not any(row["is_copy"] for row in rows):
        return [Column("name", "Queue of requests", TEXT)]
    every = all(row["is_copy"] for row in rows)
    name = "Queue of replies" if every else "Queue of requests, or of replies where copied"
    return [Column("name", name, TEXT), Column("found_on", "Copies on", TEXT)]


def log(maker: Maker) -> Section | None:
    """What the log wrote, and how long it took."""
    if not maker.has("log"):
        return None
    found = data.log_lines(maker.tables["log"], maker.period)
    busy = [None if v is None else v * 100 for v in found.values["busy_share"]]
    written = found.values["log_bytes_per_s"]
    if top_of(written):
        note = f"at most {shown(top_of(written), BYTE_RATE)}, busy {shown(top_of(busy), PERCENT)}"
        maker.tiles.append(
            Tile("Log", shown(mean(written), BYTE_RATE), note, sparkline(written, 7))
        )
    labels = {
        "mean_io_us_1_1": "mean, one page",
        "mean_io_us_1_2": "mean, several pages",
        "longest_io_us": "longest",
    }
    wrote = Lines(found.times, {"busy": busy})
    charts = [
        chart("Written", relabelled(found, {"log_bytes_per_s": "log"}), unit=BYTE_RATE, area=True),
        chart("Busy", wrote, unit=PERCENT, ceiling=100.0, area=True),
        chart("How long a write took", relabelled(found, labels), unit=MICROSECONDS),
        chart(
            "Forces",
            relabelled(found, {"forces_per_s": "forces"}),
            unit=RATE,
            about="log forced to disk on request",
            area=True,
        ),
    ]
    shown_charts = [one for one in charts if one]
    return Section("Log", grid(shown_charts)) if shown_charts else None


def calls(maker: Maker) -> Section | None:
    """Calls of the queue manager as a whole."""
    if not maker.has("calls"):
        return None
    columns = ("open_per_s", "close_per_s", "get_per_s", "put_per_s", "put1_per_s")
    found = data.means(maker.tables["calls"], maker.period, columns)
    labels = {name: f"MQ{name.removesuffix('_per_s').upper()}" for name in columns}
    some = chart("Calls a second", relabelled(found, labels), unit=RATE, wide=True)
    if not maker.has("queues"):
        add_calls(maker, found)
    parts = [one for one in (some, topic_chart(maker)) if one]
    return Section("Calls", grid(parts)) if parts else None


def topic_chart(maker: Maker) -> str:
    """Copies to subscribers and subscriptions, of tables that have them."""
    table = maker.tables["calls"]
    labels = {"published_per_s": "Sent to subscribers", "subscribes_per_s": "MQSUB"}
    if not set(labels) <= set(table.columns):  # an older warehouse
        return ""
    found = data.means(table, maker.period, tuple(labels))
    return chart("Publish/subscribe a second", relabelled(found, labels), unit=RATE, wide=True)


def cost_tile(cpu_us: float, ended: int, messages: int) -> Tile:
    """The cost of a unit of work, or of a message where there are next to no units."""
    if ended * MESSAGES_IN_A_UNIT < messages:
        each = shown(cpu_us / messages, MICROSECONDS)
        return Tile("Cost of a message", each, "CPU, mean; there are few units of work")
    return Tile("Cost of a transaction", shown(cpu_us / max(ended, 1), MICROSECONDS), "CPU, mean")


def applications(maker: Maker) -> Section | None:
    """Top talkers: who used how much, and on which queues."""
    if not maker.has("chargeback"):
        return None
    rows = data.user_rows(maker.tables["chargeback"])
    by_messages = sorted(rows, key=lambda row: -(row["messages"] or 0))
    most = rows[0]
    if most["cpu_us_per_transaction"]:
        total = sum(row["cpu_us"] or 0 for row in rows)
        ended = sum(row["transactions"] or 0 for row in rows)
        messages = sum(row["messages"] or 0 for row in rows)
        maker.tiles.append(cost_tile(total, ended, messages))
    charts = [
        bars(
            "Top talkers",
            [Bar(talker(row), row["messages"] or 0, who(row)) for row in by_messages[:BARS_MAX]],
            about="messages put and got",
            colour=3,
        ),
        bars(
            "Most CPU",
            [
                Bar(talker(row), row["cpu_us"], f"{row['calls'] or 0:,} calls")
                for row in rows[:BARS_MAX]
                if row["cpu_us"]
            ],
            unit=MICROSECONDS,
            about="spent in MQI calls",
            colour=7,
        ),
    ]
    parts = [*charts, table("Applications", APPLICATION_COLUMNS, rows)]
    if maker.has("queue_use"):
        used = data.use_rows(maker.tables["queue_use"], maker.survey.named("queue"))
        parts.append(table("What tasks did with queues", USE_COLUMNS, used))
    return Section("Applications", grid(parts))


APPLICATION_COLUMNS: Final = (
    Column("application", "Application", TEXT),
    Column("user", "User", TEXT),
    Column("kind", "Kind", TEXT),
    Column("tasks", "Tasks"),
    Column("transactions", "Transactions"),
    Column("calls", "Calls"),
    Column("puts", "Put"),
    Column("gets", "Got"),
    Column("cpu_us", "CPU", MICROSECONDS, bar=True),
    Column("cpu_us_per_transaction", "CPU a transaction", MICROSECONDS),
    Column("log_bytes", "Log", BYTES),
)
USE_COLUMNS: Final = (
    Column("name", "Queue", TEXT),
    Column("puts", "Put"),
    Column("gets", "Got"),
    Column("get_calls", "Get calls"),
    Column("gets_per_message", "Gets a message"),
    Column("skipped", "Passed over"),
    Column("cpu_us", "CPU", MICROSECONDS, bar=True),
    Column("cpu_us_per_call", "CPU a call", MICROSECONDS),
    Column("mean_time_on_queue_us", "Time on queue", MICROSECONDS),
    Column("longest_on_queue_us", "Longest", MICROSECONDS),
    Column("depth_high", "Deepest"),
)


def talker(row: Mapping[str, Any]) -> str:
    return row["application"] or row["user"] or row["kind"] or "unnamed"


def who(row: Mapping[str, Any]) -> str:
    words = [str(word) for word in (row["user"], row["kind"]) if word]
    return ", ".join(words)


def channels(maker: Maker) -> Section | None:
    """Channels, with what they carried and how full their batches were."""
    if not maker.has("channels"):
        return None
    rows = data.channel_rows(maker.tables["channels"], maker.survey.named("channel"))
    columns = [
        Column("name", "Channel", TEXT),
        Column("type", "Type", TEXT),
        Column("status", "Status", TEXT),
        Column("connection", "Connection", TEXT),
        Column("messages", "Messages"),
        Column("bytes", "Bytes", BYTES, bar=True),
        Column("fastest", "Fastest", BYTE_RATE),
        Column("batches", "Batches"),
        Column("fill", "Messages a batch"),
        Column("network_us", "Network", MICROSECONDS),
    ]
    return Section("Channels", grid([table("Channels", columns, rows)]))


def storage(maker: Maker) -> Section | None:
    """Buffer pools and page sets, of a queue manager that has them."""
    if not maker.has("buffer_pools"):
        return None
    name = maker.survey.named("buffer_pool")
    rows = data.pool_rows(maker.tables["buffer_pools"], name)
    used = {row["name"] for row in rows if (row["full"] or 0) >= 0.05}
    found = data.pool_lines(maker.tables["buffer_pools"], name, maker.period)
    fullest = [row["name"] for row in rows if row["name"] in used][:LINES_MAX]
    columns = [
        Column("name", "Buffer pool", TEXT),
        Column("buffers", "Buffers"),
        Column("full", "Fullest", PERCENT, bar=True),
        Column("reads", "Reads", RATE),
        Column("writes", "Pages written", RATE),
        Column("short", "Found none"),
    ]
    full = chart(
        "Buffer pools",
        only(found, fullest),
        unit=PERCENT,
        about="how full they became",
        ceiling=100.0,
        wide=True,
    )
    parts = [*([full] if full else []), table("Pools", columns, rows)]
    if maker.has("page_sets"):
        parts.append(page_sets(maker))
    return Section("Buffer pools", grid(parts))


def page_sets(maker: Maker) -> str:
    rows = data.page_set_rows(maker.tables["page_sets"], maker.survey.named("page_set"))
    columns = [
        Column("name", "Page set", TEXT),
        Column("pages", "Pages"),
        Column("full", "Fullest", PERCENT, bar=True),
        Column("times_full", "Times full"),
        Column("expansions", "Expansions"),
        Column("write", "Slowest mean write", MICROSECONDS),
        Column("read", "Slowest mean read", MICROSECONDS),
    ]
    return table("Page sets", columns, rows)


def lake(maker: Maker) -> Section | None:
    """What the lake of messages holds."""
    if not maker.has("messages"):
        return None
    rows = data.lake_rows(maker.tables["messages"], maker.survey.named("queue"))
    columns = [
        Column("name", "Queue", TEXT),
        Column("messages", "Messages", bar=True),
        Column("since", "First put", TEXT),
        Column("until", "Last put", TEXT),
    ]
    for row in rows:
        row["since"], row["until"] = when(row["first"]), when(row["last"])
    kept = maker.survey.rows["messages"]
    lead = f"{kept:,} copies of messages, searchable with ternmq lake find."
    return Section("Lake", grid([table("Messages kept", columns, rows)]), lead)


def when(micros: int | None) -> str:
    """A moment of a table; it sorts as text."""
    return "" if micros is None else f"{moment_of(micros):%Y-%m-%d %H:%M:%S}"


SECTIONS: Final[tuple[tuple[str, Callable[[Maker], Section | None]], ...]] = (
    ("findings", findings),
    ("queues", queues),
    ("latency", latency),
    ("the log", log),
    ("calls", calls),
    ("applications", applications),
    ("channels", channels),
    ("buffer pools", storage),
    ("the lake", lake),
)
