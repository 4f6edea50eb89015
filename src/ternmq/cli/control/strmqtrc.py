"""strmqtrc: switches the trace of a queue manager on, by component and verb. A queue manager that
runs notices within a second; one that is started later traces from its start."""

from __future__ import annotations

from typing import Final

from ternmq.base.message_table import message_text
from ternmq.cli.arguments import CommandLine
from ternmq.cli.output import write, write_error, write_json
from ternmq.remote.local.folder_lookup import data_folder, places
from ternmq.server.settings.trace_settings import (
    COMPONENTS,
    EVERY,
    TraceWanted,
    read_settings,
    write_settings,
)

ABOUT: Final = "switch trace on"
BAD_ARGUMENTS: Final = 36
NAME_ERROR: Final = 58
MEGABYTE: Final = 1 << 20


def main(argv: list[str]) -> int:
    """Run the command."""
    line = CommandLine("strmqtrc", ABOUT, BAD_ARGUMENTS)
    names = ", ".join(COMPONENTS)
    line.add_argument("-m", metavar="QMGR", default="", help="the queue manager; else all")
    line.add_argument("-t", metavar="COMPONENT", action="append", help=f"all, {names}")
    line.add_argument("-x", metavar="COMPONENT", action="append", default=[], help="but not this")
    line.add_argument("-v", metavar="VERB", action="append", default=[], help="only MQPUT, say")
    line.add_argument("-l", metavar="MB", type=int, default=0, help="size of a file, kept twice")
    line.add_argument("-e", action="store_true", help="from the start on: always so here")
    line.add_json()
    asked = line.parse_args(argv)
    chosen = _split(asked.t or ["all"])
    if "all" in chosen:
        chosen = list(COMPONENTS)
    strange = [one for one in (*chosen, *_split(asked.x)) if one not in COMPONENTS]
    if strange:
        line.error(f"there is no component {strange[0]!r}; there are {names}")
    data = data_folder()
    if asked.m and asked.m not in {place.name for place in places(data)}:
        write_error(f"AMQ8118E: {message_text('AMQ8118E', (asked.m,))}")
        return NAME_ERROR
    wanted = TraceWanted(
        frozenset(chosen) - frozenset(_split(asked.x)),
        frozenset(one.upper() for one in _split(asked.v)),
        asked.l * MEGABYTE,
    )
    settings = read_settings(data)
    settings[asked.m or EVERY] = wanted
    write_settings(data, settings)
    if asked.json:
        write_json({name: one.to_json() for name, one in settings.items()})
    else:
        write(f"Trace is on for {asked.m or 'every queue manager'}.")
    return 0


def _split(words: list[str]) -> list[str]:
    return [part for word in words for part in word.split(",") if part]
