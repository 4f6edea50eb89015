"""dspmqinst: show the installations that share the data folder."""

from __future__ import annotations

from typing import Final

from ternmq.cli.arguments import CommandLine
from ternmq.cli.output import write, write_error, write_json
from ternmq.server.folder.data_folder import data_folder
from ternmq.server.folder.installations import Installation, installations

EXIT_ARGUMENTS: Final = 36
EXIT_UNKNOWN: Final = 44


def main(argv: list[str]) -> int:
    """Show them; the exit status."""
    line = CommandLine("dspmqinst", "Show installations.", EXIT_ARGUMENTS)
    line.add_argument("-n", metavar="NAME", default="", help="of this name")
    line.add_argument("-p", metavar="PATH", default="", help="in this folder")
    line.add_json()
    options = line.parse_args(argv)
    found = [
        one
        for one in installations(data_folder())
        if options.n in ("", one.name) and options.p in ("", one.path)
    ]
    if not found and (options.n or options.p):
        write_error(f"dspmqinst: there is no installation {options.n or options.p}")
        return EXIT_UNKNOWN
    if options.json:
        write_json([_value(one) for one in found])
        return 0
    for number, one in enumerate(found):
        if number:
            write()
        for key, value in _value(one).items():
            write(f"{key}:".ljust(13) + str(value))
    return 0


def _value(one: Installation) -> dict[str, str]:
    return {
        "InstName": one.name,
        "InstDesc": one.description,
        "Identifier": str(one.identifier),
        "InstPath": one.path,
        "Version": one.version,
        "Primary": "No",
        "State": one.state,
    }
