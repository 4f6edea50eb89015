"""endmqtrc: switches trace off."""

from __future__ import annotations

from typing import Final

from ternmq.cli.arguments import CommandLine
from ternmq.cli.output import write, write_json
from ternmq.remote.local.folder_lookup import data_folder
from ternmq.server.settings.trace_settings import EVERY, read_settings, write_settings

ABOUT: Final = "switch trace off"
BAD_ARGUMENTS: Final = 36


def main(argv: list[str]) -> int:
    """Run the command."""
    line = CommandLine("endmqtrc", ABOUT, BAD_ARGUMENTS)
    line.add_argument("-m", metavar="QMGR", default="", help="the queue manager; else that of all")
    line.add_argument("-a", action="store_true", help="all trace there is")
    line.add_argument("-e", action="store_true", help="that of all queue managers")
    line.add_json()
    asked = line.parse_args(argv)
    data = data_folder()
    settings = read_settings(data)
    ended = list(settings) if asked.a else [asked.m or EVERY]
    for name in ended:
        settings.pop(name, None)
    write_settings(data, settings)
    if asked.json:
        write_json({name: one.to_json() for name, one in settings.items()})
    elif settings:
        write(f"Trace is still on for {', '.join(sorted(settings))}.")
    else:
        write("Trace is off.")
    return 0
