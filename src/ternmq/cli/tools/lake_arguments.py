"""Arguments that choose messages of the lake, for `ternmq lake find` and `ternmq replay`."""

from __future__ import annotations

import argparse
import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final, NamedTuple

from ternmq.cli.arguments import CommandLine

if TYPE_CHECKING:
    from ternmq.spark.lake.lake_search import Search

_AGO: Final = re.compile(r"([0-9]+)([smhd])")
_UNITS: Final = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}
_AGO_MAX: Final = 10**9  # of any unit; more is a mistake, and no time


class Moment(NamedTuple):
    """A time, and the text that gave it: an hour ago is another time when it is read again."""

    at: datetime
    text: str


def add_choice(line: CommandLine) -> None:
    """Let a command take them."""
    group = line.add_argument_group("which messages; all that is given must hold")
    group.add_argument("-q", "--queue", metavar="NAME", default="", help="ORDERS, or ORDERS.*")
    group.add_argument("--of", metavar="QMGR", default="", help="of this queue manager")
    group.add_argument("--id", metavar="HEX", default="", help="MsgId, or how it begins")
    group.add_argument("--correl-id", metavar="HEX", default="", help="CorrelId, the same")
    group.add_argument("--group-id", metavar="HEX", default="", help="GroupId, the same")
    group.add_argument(
        "--property",
        metavar="NAME[=VALUE]",
        action="append",
        default=[],
        help="has this property, with this value",
    )
    group.add_argument(
        "--selector",
        metavar="STRING",
        default="",
        help="properties by a selection string: \"colour = 'red' AND weight > 5\"",
    )
    group.add_argument("--since", type=moment, help="2026-11-16T10:00 (default UTC), or 2h ago")
    group.add_argument("--until", type=moment, help="up to but not including")
    group.add_argument("--text", default="", help="a part of the text")
    group.add_argument("--where", metavar="SQL", default="", help="any condition: 'priority > 5'")


def search_of(asked: argparse.Namespace) -> Search:
    """What was asked for. ValueError says what is wrong with it."""
    from ternmq.spark.lake.lake_search import Search, identifier

    ids = {
        name: identifier(text) if text else b""
        for name, text in (
            ("msg_id", asked.id),
            ("correl_id", asked.correl_id),
            ("group_id", asked.group_id),
        )
    }
    return Search(
        queue=asked.queue,
        queue_manager=asked.of,
        properties=tuple(property_of(text) for text in asked.property),
        since=asked.since.at if asked.since else None,
        until=asked.until.at if asked.until else None,
        text=asked.text,
        where=asked.where,
        selector=asked.selector,
        **ids,
    )


def property_of(text: str) -> tuple[str, str | None]:
    """`name` or `name=value`."""
    name, equals, value = text.partition("=")
    return name, value if equals else None


def moment(text: str) -> Moment:
    """A time as people give it: ISO 8601, or so long ago."""
    ago = _AGO.fullmatch(text)
    try:
        if ago is not None and int(ago[1]) <= _AGO_MAX:
            return Moment(datetime.now(UTC) - timedelta(**{_UNITS[ago[2]]: int(ago[1])}), text)
        found = datetime.fromisoformat(text)
    except (ValueError, OverflowError) as wrong:
        raise argparse.ArgumentTypeError(
            f"{text} is not a time; 2026-11-16T10:00, 2026-11-16 and 2h (ago) are"
        ) from wrong
    return Moment(found if found.tzinfo is not None else found.replace(tzinfo=UTC), text)
