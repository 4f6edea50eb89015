"""The sections of a page about queue managers.

Each is a function that takes what the page shares (page_parts), asks report_data and returns a
section, or nothing where there is nothing to show. What was not measured is a dash, not a zero.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from ternmq.base.words import count_text
from ternmq.spark.report import report_data as data
from ternmq.spark.report.charts import COLOURS, Bar, Mark, bars, histogram
from ternmq.spark.report.numbers import BYTE_RATE, BYTES, MICROSECONDS, PERCENT, RATE, shown, top_of
from ternmq.spark.report.page import SPARK, TEXT, Card, Column, Section, Tile, cards, grid, table
from ternmq.spark.report.page_parts import (
    SPIKES_MAX,
    Maker,
    add_calls,
    add_depth,
    add_rates,
    busiest_first,
    by_name,
    chart,
    manager_chart,
    small,
    together,
)
from ternmq.spark.report.point_lines import Lines, moment_of

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
USED_PERCENT: Final = 1.0  # of a buffer pool that has a line
QUIET: Final = (
    "no polling, no missing index, no selector that scans, no latency spike, "
    "log and buffers in bounds."
)


def findings(maker: Maker) -> Section | None:
    """What deserves a look: rules, spikes and anomalies, in words."""
    some: list[Card] = []
    if maker.has("findings"):
        rows = data.finding_rows(maker.tables["findings"])
        maker.findings = sum(row["alike"] for row in rows if row["place"] == 1)
        for row in rows:
            some.append(finding_card(maker, row))
            if row["place"] == data.ALIKE_MAX < row["alike"]:
                more = f"{row['alike'] - data.ALIKE_MAX:,} others like these are in the table."
                some.append(Card(rule_name(row), more, level="warning"))
    maker.findings += len(maker.spikes)
    some += maker.spikes[:SPIKES_MAX]
    if len(maker.spikes) > SPIKES_MAX:
        more = f"There are {len(maker.spikes) - SPIKES_MAX:,} others like these."
        some.append(Card("Latency spike", more, level="warning"))
    some += [anomaly_card(maker, row) for row in maker.anomalies[:MARKS_MAX]]
    others = maker.survey.rows.get("anomalies", 0) - MARKS_MAX
    if others > 0:
        some.append(Card("More anomalies", f"{others:,} other anomalies are in the table."))
    if not some and "findings" not in maker.tables:
        return None
    if not some:
        some.append(Card("All quiet", "No rule found anything: " + QUIET, level="good"))
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
    totals, rates = data.message_rates(table_of_queues, maker.period)
    if rates["put"]:
        add_rates(maker, totals, rates)
    deepest = sorted((r for r in rows if r["deepest"]), key=lambda row: -row["deepest"])
    deep = [row["name"] for row in deepest[:LINES_MAX]]
    jumps = sorted((r for r in rows if r["jump"]), key=lambda row: -row["jump"])
    suspects = [row["name"] for row in jumps[: data.JUMPS_MAX]]
    slow = list(dict.fromkeys([*suspects, *names_with_waits(rows)]))[:LINES_MAX]
    busy = [row["name"] for row in rows[:SPARKS_MAX]]
    wanted = list(dict.fromkeys([*deep, *suspects, *slow, *busy]))
    depths, waits = data.queue_lines(table_of_queues, name, maker.period, wanted)
    maker.add_spikes(waits, "Messages stayed on {name} for {time}")
    if deep:
        add_depth(maker, deepest[0], depths)
    for row in rows:
        row["line"] = depths.small(row["name"], 3)
    which = "queues where it changed most, then the busiest" if suspects else "the busiest queues"
    charts = [
        *queue_charts(maker, depths, waits.only(slow), deep, which),
        busiest(rows),
        deepest_queues(deepest),
    ]
    return Section("Queues", grid([one for one in charts if one]) + grid([queue_table(rows)]))


def queue_charts(
    maker: Maker, depths: Lines, waits: Lines, deep: Sequence[str], which: str
) -> list[str]:
    """Depth and time on queue; a queue has the same colour in both."""
    names = dict.fromkeys([*deep, *waits.values])
    colours = {one: n % COLOURS + 1 for n, one in enumerate(names)}
    return [
        chart(
            "Depth",
            depths.only(deep),
            about="the deepest queues, the highest depth of each interval",
            marks=marks(maker, depths),
            colours=colours,
        ),
        chart(
            "Time on queue",
            waits,
            unit=MICROSECONDS,
            about=f"how long messages stayed, {which}",
            colours=colours,
        ),
    ]


def deepest_queues(deepest: Sequence[Mapping[str, Any]]) -> str:
    some = [Bar(row["name"], row["deepest"]) for row in deepest[:BARS_MAX]]
    return (
        bars("Deepest queues", some, about="highest depth, in messages", colour=3) if some else ""
    )


def busiest(rows: Sequence[Mapping[str, Any]]) -> str:
    some = [
        Bar(row["name"], traffic, used_by(row))
        for row in rows[:BARS_MAX]
        if (traffic := (row["puts"] or 0) + (row["gets"] or 0))
    ]
    return bars("Busiest queues", some, about="messages put and got") if some else ""


def names_with_waits(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    return [row["name"] for row in rows if row["waited"]]


def used_by(row: Mapping[str, Any]) -> str:
    readers, writers = row["readers"] or 0, row["writers"] or 0
    if not readers and not writers:
        return ""
    return f"{count_text(readers, 'reader')}, {count_text(writers, 'writer')}"


def marks(maker: Maker, depths: Lines) -> list[Mark]:
    """Anomalies that are within the chart."""
    found = [Mark(moment_of(row["at"]), row["words"] or "") for row in maker.anomalies]
    if not depths:
        return []
    first, last = depths.moments.first, depths.moments.last
    return [mark for mark in found if first <= mark.at <= last][:MARKS_MAX]


def queue_table(rows: Sequence[Mapping[str, Any]]) -> str:
    return table(
        "Queues",
        [
            Column("name", "Queue", TEXT),
            Column("puts", "Messages put", bar=True),
            Column("gets", "Messages got"),
            Column("busiest", "Highest put rate", RATE),
            Column("depth", "Last depth"),
            Column("deepest", "Highest depth"),
            Column("waited", "Time on queue", MICROSECONDS),
            Column("empty", "Empty gets"),
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
    period = data.for_events(maker.period)
    over_time = data.latency_lines(exchanges, maker.survey.manager(), period)
    highest = data.label(data.PERCENTILES[-1])
    by_queue = data.latency_lines(exchanges, maker.survey.named("request_queue"), period)
    words = f"Replies to requests on {{name}} took {{time}} ({highest})"
    maker.add_spikes(by_queue[highest], words)
    edges, counts = data.latency_histogram(exchanges)
    rows = data.latency_rows(exchanges, maker.survey.named)
    for row in rows:
        row["found_on"] = row["found_on"] if row["is_copy"] else None
    if rows and rows[0][data.label(0.5)] is not None:
        add_latency(maker, rows[0], over_time)
    charts = latency_charts(maker, over_time)
    if edges:
        about = "replies by their latency"
        charts.append(
            histogram("Distribution of replies", edges, counts, unit=MICROSECONDS, about=about)
        )
    columns = [
        *queue_columns(rows),
        Column("requests", "Requests", bar=True),
        Column("answered", "Answered"),
        *(Column(data.label(p), data.label(p), MICROSECONDS) for p in data.PERCENTILES),
        Column("longest", "Longest", MICROSECONDS),
    ]
    return Section("Latency", grid([*charts, table("Requests and replies", columns, rows)]))


def add_latency(maker: Maker, row: Mapping[str, Any], over_time: Mapping[str, Lines]) -> None:
    """A tile and a sentence about the busiest queue of requests."""
    median, high = data.label(0.5), data.label(data.PERCENTILES[-1])
    where = f"{'answered on' if row['is_copy'] else 'on'} {row['name']}"
    spark = small(over_time[median], 4)
    note = f"{row['requests']:,} requests {where}"
    maker.tiles.append(Tile("Median reply time", shown(row[median], MICROSECONDS), note, spark))
    maker.words.append(
        f"{row['all_answered']:,} requests were answered. Of those {where} the median reply time "
        f"was {shown(row[median], MICROSECONDS)}, the {high} {shown(row[high], MICROSECONDS)}."
    )


def latency_charts(maker: Maker, over_time: Mapping[str, Lines]) -> list[str]:
    """One queue manager has its percentiles in one chart, several a line each in one for each."""
    some = {name: found for name, found in over_time.items() if found}
    if not some:
        return []
    if maker.is_one():
        return [chart("Latency of replies", together(some), unit=MICROSECONDS)]
    return [
        manager_chart(maker, f"Latency of replies, {name}", found, unit=MICROSECONDS)
        for name, found in some.items()
    ]


def queue_columns(rows: Sequence[Mapping[str, Any]]) -> list[Column]:
    """What the rows of exchanges are named by."""
    if not any(row["is_copy"] for row in rows):
        return [Column("name", "Request queue", TEXT)]
    every = all(row["is_copy"] for row in rows)
    name = "Reply queue" if every else "Request queue, or reply queue where copied"
    return [Column("name", name, TEXT), Column("found_on", "Copies on", TEXT)]


LOG_TIMES: Final[Mapping[str, str]] = {
    "mean_io_us_1_1": "mean, one page",
    "mean_io_us_1_2": "mean, several pages",
    "longest_io_us": "longest",
}


def log(maker: Maker) -> Section | None:
    """What the log wrote, and how long it took."""
    if not maker.has("log"):
        return None
    found = data.log_lines(maker.tables["log"], maker.period)
    maker.add_spikes(found["longest_io_us"], "The longest log write of {name} took {time}")
    written, busy = found["log_bytes_per_s"], found["busy_percent"]
    rates = written.means()
    if any(rates.values()):
        note = by_name(rates, BYTE_RATE)
        if len(rates) == 1:
            high = max(top_of(values) for values in written.values.values())
            share = max(top_of(values) for values in busy.values.values())
            note = f"highest {shown(high, BYTE_RATE)}, busy up to {shown(share, PERCENT)}"
        total = sum(rate or 0.0 for rate in rates.values())
        spark = small(written, 7)
        maker.tiles.append(Tile("Written to the log", shown(total, BYTE_RATE), note, spark))
    charts = [
        manager_chart(
            maker, "Log bytes per second", written, one="log", unit=BYTE_RATE, area=maker.is_one()
        ),
        manager_chart(
            maker, "Log busy", busy, one="busy", unit=PERCENT, ceiling=100.0, area=maker.is_one()
        ),
        *log_time_charts(maker, found),
        manager_chart(
            maker, "Log forces per second", found["forces_per_s"], one="forces", unit=RATE,
            about="writes that a commit or a put waited for", area=maker.is_one(),
        ),
    ]  # fmt: skip
    shown_charts = [one for one in charts if one]
    return Section("Log", grid(shown_charts)) if shown_charts else None


def log_time_charts(maker: Maker, found: Mapping[str, Lines]) -> list[str]:
    """How long a write took: in one chart, or of several queue managers in one for each kind."""
    if maker.is_one():
        some = {label: busiest_first(found[name]) for name, label in LOG_TIMES.items()}
        known = {label: one for label, one in some.items() if one.values}
        return [chart("Log write time", together(known), unit=MICROSECONDS)] if known else []
    return [
        manager_chart(maker, f"Log write time, {label}", found[name], unit=MICROSECONDS)
        for name, label in LOG_TIMES.items()
    ]


def calls(maker: Maker) -> Section | None:
    """Calls of the queue manager as a whole."""
    if not maker.has("calls"):
        return None
    columns = ("open_per_s", "close_per_s", "get_per_s", "put_per_s", "put1_per_s")
    found = data.means(maker.tables["calls"], maker.period, columns)
    labels = {name: f"MQ{name.removesuffix('_per_s').upper()}" for name in columns}
    if not maker.has("queues"):
        add_calls(maker, found)
    charts = call_charts(maker, "Calls per second", found, labels)
    topics = {"published_per_s": "Sent to subscribers", "subscribes_per_s": "MQSUB"}
    if set(topics) <= set(maker.tables["calls"].columns):  # an older warehouse has none
        published = data.means(maker.tables["calls"], maker.period, tuple(topics))
        charts += call_charts(maker, "Publish/subscribe per second", published, topics)
    parts = [one for one in charts if one]
    return Section("Calls", grid(parts)) if parts else None


def call_charts(
    maker: Maker, title: str, found: Mapping[str, Lines], labels: Mapping[str, str]
) -> list[str]:
    """One queue manager has its calls in one chart, several a line each in one for each call."""
    if maker.is_one():
        some = {label: busiest_first(found[name]) for name, label in labels.items()}
        known = {label: one for label, one in some.items() if one.values}
        return [chart(title, together(known), unit=RATE, wide=True)] if known else []
    return [
        manager_chart(maker, f"{label}, {title[0].lower()}{title[1:]}", found[name], unit=RATE)
        for name, label in labels.items()
    ]


def cost_tile(costs: data.Costs) -> Tile | None:
    """The cost of a transaction, or of a message where there are next to none; nothing where there
    is neither. What applications without transactions use is not part of a transaction's cost."""
    ended, messages = costs.transactions, costs.messages
    if ended and ended * MESSAGES_IN_A_UNIT >= messages:
        cost = shown(costs.in_transactions / ended, MICROSECONDS)
        return Tile("Cost of a transaction", cost, "CPU, mean")
    if not messages:
        return None
    few = "few units of work" if ended else "no units of work"
    note = f"CPU, mean; there are {few}"
    return Tile("Cost of a message", shown(costs.cpu_us / messages, MICROSECONDS), note)


def applications(maker: Maker) -> Section | None:
    """Who used how much, and on which queues."""
    if not maker.has("chargeback"):
        return None
    rows = data.user_rows(maker.tables["chargeback"])
    by_messages = sorted(rows, key=lambda row: -(row["messages"] or 0))
    costs = data.costs(maker.tables["chargeback"])
    tile = cost_tile(costs) if costs.cpu_us else None
    if tile is not None:
        maker.tiles.append(tile)
    talkers = [
        Bar(talker(r), r["messages"], who(r)) for r in by_messages[:BARS_MAX] if r["messages"]
    ]
    spenders = [
        Bar(talker(row), row["cpu_us"], f"{shown(row['calls'])} calls")
        for row in rows[:BARS_MAX]
        if row["cpu_us"]
    ]
    charts = []
    if talkers:
        charts.append(bars("Most messages", talkers, about="messages put and got", colour=3))
    if spenders:
        about = "spent in MQI calls"
        charts.append(bars("Most CPU", spenders, unit=MICROSECONDS, about=about, colour=7))
    manager = [] if maker.is_one() else [Column("queue_manager", "Queue manager", TEXT)]
    parts = [*charts, table("Applications", [*APPLICATION_COLUMNS, *manager], rows)]
    if maker.has("queue_use"):
        used = data.use_rows(maker.tables["queue_use"], maker.survey.named("queue"))
        parts.append(table("Queues as tasks used them", USE_COLUMNS, used))
    return Section("Applications", grid(parts))


APPLICATION_COLUMNS: Final = (
    Column("application", "Application", TEXT),
    Column("user", "User", TEXT),
    Column("kind", "Kind", TEXT),
    Column("tasks", "Tasks"),
    Column("transactions", "Transactions"),
    Column("calls", "Calls"),
    Column("puts", "Messages put"),
    Column("gets", "Messages got"),
    Column("cpu_us", "CPU", MICROSECONDS, bar=True),
    Column("cpu_us_per_transaction", "CPU per transaction", MICROSECONDS),
    Column("log_bytes", "Written to the log", BYTES),
)
USE_COLUMNS: Final = (
    Column("name", "Queue", TEXT),
    Column("puts", "Messages put"),
    Column("gets", "Messages got"),
    Column("get_calls", "MQGET calls"),
    Column("gets_per_message", "MQGETs per message"),
    Column("skipped", "Messages skipped"),
    Column("cpu_us", "CPU", MICROSECONDS, bar=True),
    Column("cpu_us_per_call", "CPU per call", MICROSECONDS),
    Column("mean_time_on_queue_us", "Mean time on queue", MICROSECONDS),
    Column("longest_on_queue_us", "Longest on queue", MICROSECONDS),
    Column("depth_high", "Highest depth"),
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
        Column("fastest", "Highest rate", BYTE_RATE),
        Column("batches", "Batches"),
        Column("fill", "Messages per batch"),
        Column("network_us", "Network time", MICROSECONDS),
    ]
    return Section("Channels", grid([table("Channels", columns, rows)]))


def storage(maker: Maker) -> Section | None:
    """Buffer pools and page sets, of a queue manager that has them."""
    if not maker.has("buffer_pools"):
        return None
    name = maker.survey.named("buffer_pool")
    rows = data.pool_rows(maker.tables["buffer_pools"], name)
    used = {row["name"] for row in rows if (row["full"] or 0) >= USED_PERCENT}
    found = data.pool_lines(maker.tables["buffer_pools"], name, maker.period)
    fullest = [row["name"] for row in rows if row["name"] in used][:LINES_MAX]
    columns = [
        Column("name", "Buffer pool", TEXT),
        Column("buffers", "Buffers"),
        Column("full", "Highest use", PERCENT, bar=True),
        Column("reads", "Pages read", RATE),
        Column("writes", "Pages written", RATE),
        Column("short", "Times without a free buffer"),
    ]
    full = chart(
        "Use of buffer pools",
        found.only(fullest),
        unit=PERCENT,
        about="the highest of each interval, of pools that were used",
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
        Column("full", "Highest use", PERCENT, bar=True),
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
        Column("since", "First put (UTC)", TEXT),
        Column("until", "Last put (UTC)", TEXT),
    ]
    for row in rows:
        row["since"], row["until"] = when(row["first"]), when(row["last"])
    kept = maker.survey.rows["messages"]
    lead = f"{kept:,} copies of messages, searchable with ternmq lake find."
    return Section("Lake", grid([table("Messages kept", columns, rows)]), lead)


def when(micros: int | None) -> str | None:
    """A moment of a table; it sorts as text."""
    return None if micros is None else f"{moment_of(micros):%Y-%m-%d %H:%M:%S}"


SECTIONS: Final[tuple[tuple[str, Callable[[Maker], Section | None]], ...]] = (
    ("queues", queues),
    ("latency", latency),
    ("the log", log),
    ("calls", calls),
    ("applications", applications),
    ("channels", channels),
    ("buffer pools", storage),
    ("the lake", lake),
    ("findings", findings),  # of all others; on the page they come first
)
