"""dspmq: show queue managers and what they are doing."""

from __future__ import annotations

import argparse
import socket
from typing import Any, Final

from ternmq.base.message_table import message_line
from ternmq.cli.arguments import CommandLine
from ternmq.cli.output import write, write_error, write_json
from ternmq.server.folder.data_folder import Place, data_folder, default_name, places
from ternmq.server.folder.installations import Installation, installations
from ternmq.server.folder.status_file import RUNNING_ELSEWHERE, Status, standby_of, status_of

EXIT_ACTIVE: Final = 5
EXIT_ARGUMENTS: Final = 36
EXIT_NAME: Final = 72
_STATUS_AT: Final = 58  # where the second item begins
_NO_NATIVE_HA: Final = (
    "ROLE(Not configured) INSTANCE() INSYNC() QUORUM() GRPLSN() GRPNAME() GRPROLE(Not configured)"
)
_SHOWS: Final = ("all", "default", "installation", "status", "standby", "nativeha", "ha", "dr")


def command_line() -> CommandLine:
    """Options as those of IBM MQ."""
    line = CommandLine("dspmq", "Show queue managers.", EXIT_ARGUMENTS)
    line.add_argument("-m", metavar="QMGR", default="", help="this one alone")
    line.add_argument("-n", action="store_true", help="words that are the same everywhere")
    line.add_argument("-o", action="append", choices=_SHOWS, default=[], help="what to show")
    line.add_argument("-s", action="store_true", help="the same as -o status")
    line.add_argument("-x", action="store_true", help="instances, one a line")
    line.add_argument("-a", action="store_true", help="those that run")
    line.add_argument("-c", action="store_true", help="with their processes")
    line.add_json()
    return line


def main(argv: list[str]) -> int:
    """Show them; the exit status."""
    options = command_line().parse_args(argv)
    data = data_folder()
    found = places(data)
    if options.m:
        found = [place for place in found if place.name == options.m]
        if not found:
            write_error(message_line("AMQ7048E", (options.m,)))
            return EXIT_NAME
    seen = [(place, status_of(place.folder)) for place in found]
    if options.a:
        seen = [(place, status) for place, status in seen if status.is_up]
    default = default_name(data)
    known = {one.name: one for one in installations(data)}
    if options.json:
        write_json([_value(place, status, default, known) for place, status in seen])
    else:
        for place, status in seen:
            _show(options, place, status, default, known)
    return EXIT_ACTIVE if options.a and seen else 0


def _value(
    place: Place, status: Status, default: str, known: dict[str, Installation]
) -> dict[str, Any]:
    installation = known.get(place.installation)
    return {
        "name": place.name,
        "status": _state(place, status),
        "standby": _standby(status),
        "standby_pid": max(standby_of(place.folder), 0),
        "running": status.is_up,
        "pid": max(status.pid, 0),
        "default": place.name == default,
        "folder": place.folder,
        "installation": place.installation,
        "installation_path": "" if installation is None else installation.path,
        "installation_version": "" if installation is None else installation.version,
    }


def _show(
    options: argparse.Namespace,
    place: Place,
    status: Status,
    default: str,
    known: dict[str, Installation],
) -> None:
    shows = set(options.o) | ({"status"} if options.s or not options.o else set())
    everything = "all" in shows
    items: list[tuple[str, str]] = []
    if everything or "status" in shows:
        items.append(("STATUS", _state(place, status)))
    if everything or "default" in shows:
        items.append(("DEFAULT", "yes" if place.name == default else "no"))
    if everything or "standby" in shows:
        items.append(("STANDBY", _standby(status)))
    if "ha" in shows:
        items.append(("HA", ""))
    if "dr" in shows:
        items.append(("DRROLE", ""))
    words = [f"{key}({value.upper() if options.n else value})" for key, value in items]
    if everything or "installation" in shows:
        installation = known.get(place.installation)
        path = "" if installation is None else installation.path
        version = "" if installation is None else installation.version
        words += [f"INSTNAME({place.installation})", f"INSTPATH({path})", f"INSTVER({version})"]
    if everything or "nativeha" in shows:
        words.append(_NO_NATIVE_HA.upper() if options.n else _NO_NATIVE_HA)
    write((f"QMNAME({place.name})".ljust(_STATUS_AT) + " ".join(words)).rstrip())
    if options.x:
        _show_instances(place, status)
    if options.c and status.is_up:
        write(f"    PID({max(status.pid, 0)}) ternmq.server")


def _state(place: Place, status: Status) -> str:
    """As it is on this machine."""
    if status.state == RUNNING_ELSEWHERE and standby_of(place.folder):
        return "Running as standby"
    return status.state


def _standby(status: Status) -> str:
    if not status.is_up:
        return "Not applicable"
    return "Permitted" if status.permits_standby else "Not permitted"


def _show_instances(place: Place, status: Status) -> None:
    """The active one, and the standby of this machine; with -n too in these words."""
    here = socket.gethostname()
    found = [(status.host or here, "Active")] if status.is_up else []
    if standby_of(place.folder):
        found.append((here, "Standby"))
    for host, mode in found:
        write(f"    INSTANCE({host}) MODE({mode})")
