"""dspmqver: show the version of the product."""

from __future__ import annotations

import platform
from typing import Final

from ternmq.base.product import VERSION
from ternmq.cli.arguments import CommandLine
from ternmq.cli.output import write, write_json
from ternmq.kernel.inquire import COMMAND_LEVEL
from ternmq.server.folder.data_folder import data_folder
from ternmq.server.folder.installations import here, installations, version

EXIT_ARGUMENTS: Final = 20
_BITS: Final = {
    "Name": 1,
    "Version": 2,
    "Level": 4,
    "BuildType": 8,
    "Platform": 16,
    "Mode": 32,
    "O/S": 64,
    "O/S Details": 64,
    "InstName": 128,
    "InstDesc": 256,
    "Primary": 512,
    "InstPath": 1024,
    "DataPath": 2048,
    "MaxCmdLevel": 4096,
    "LicenseType": 8192,
}


def main(argv: list[str]) -> int:
    """Show it; the exit status."""
    line = CommandLine("dspmqver", "Show the version of the product.", EXIT_ARGUMENTS)
    line.add_argument("-a", action="store_true", help="everything")
    line.add_argument("-b", action="store_true", help="values without their names")
    line.add_argument("-f", metavar="FIELDS", type=int, default=0, help="the sum of field numbers")
    line.add_argument("-i", action="store_true", help="of all installations; here of this one")
    line.add_argument("-p", metavar="N", type=int, default=0, help="component; there is only one")
    line.add_argument("-v", action="store_true", help="in detail")
    line.add_json()
    options = line.parse_args(argv)
    shown = fields()
    if options.f:
        shown = {key: value for key, value in shown.items() if _BITS[key] & options.f}
    if options.json:
        write_json(shown)
        return 0
    for key, value in shown.items():
        write(value if options.b else f"{key}:".ljust(13) + value)
    return 0


def fields() -> dict[str, str]:
    """All that there is to say."""
    from ternmq.base.build import build_info

    data = data_folder()
    here_is = next((one for one in installations(data) if one.is_here), None)
    return {
        "Name": "TernMQ",
        "Version": version(),
        "Level": VERSION,
        "BuildType": "compiled" if build_info().compiled else "plain",
        "Platform": f"TernMQ for {platform.system()} ({platform.machine()})",
        "Mode": "64-bit",
        "O/S": platform.system() + " " + platform.release(),
        "InstName": "" if here_is is None else here_is.name,
        "InstDesc": "" if here_is is None else here_is.description,
        "Primary": "No",
        "InstPath": here(),
        "DataPath": data,
        "MaxCmdLevel": str(COMMAND_LEVEL),
        "LicenseType": "Apache-2.0",
    }
