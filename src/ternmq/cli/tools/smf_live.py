"""ternmq smf follow, switch, status: what a running queue manager does with its SMF records.

`follow` writes the records of an in-memory stream as they come, so that they can be piped into
`ternmq smf json -`; what was gone before it could be read is reported on standard error.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Final

from ternmq.base.errors import MQError
from ternmq.base.words import count_text
from ternmq.cli import attach
from ternmq.cli.arguments import CommandLine
from ternmq.cli.output import write, write_error, write_json

if TYPE_CHECKING:
    from ternmq.api.connection import Connection

ACTIONS: Final = ("follow", "switch", "status")
ABOUT: Final = """\
SMF records of a running queue manager.

  follow  write the records of an in-memory stream to standard output, as they come
  switch  begin new data sets and segments
  status  show where records go, and what was lost
"""
BAD_ARGUMENTS: Final = 36
FAILED: Final = 71
_WAIT_S: Final = 1.0


def main(argv: list[str]) -> int:
    """Run the command."""
    line = CommandLine("ternmq smf", ABOUT, BAD_ARGUMENTS)
    line.add_argument("action", choices=ACTIONS, help="what to do with the running queue manager")
    line.add_argument("-m", metavar="QMGR", default="", help="the queue manager")
    line.add_argument("-n", "--name", default="", help="of the destination")
    line.add_argument(
        "--from", dest="first", type=int, default=-1, help="follow: number of the first record"
    )
    line.add_argument("--idle", type=float, default=-1.0, help="follow: end after so many seconds")
    line.add_json()
    asked = line.parse_args(argv)
    try:
        with attach.attach_admin(asked.m, "ternmq smf") as connection:
            return _act(connection, asked)
    except MQError as error:
        write_error(f"ternmq smf: {error}")
        return FAILED
    except KeyboardInterrupt:
        return 0


def _act(connection: Connection, asked: argparse.Namespace) -> int:
    if asked.action == "follow":
        return _follow(connection, asked)
    if asked.action == "switch":
        names = connection.smf_switch(asked.name)
        if asked.json:
            write_json(names)
        for name in [] if asked.json else names:
            write(f"{name}: the next records begin a new file")
        return 0
    _status(connection, as_json=asked.json)
    return 0


def _follow(connection: Connection, asked: argparse.Namespace) -> int:
    at = asked.first
    if at < 0:
        at = connection.smf_read(-1, asked.name).next
    idle_s = 0.0
    while asked.idle < 0 or idle_s < asked.idle:
        found = connection.smf_read(at, asked.name, wait=_WAIT_S)
        if found.missed:
            records = count_text(found.missed, "record")
            write_error(f"ternmq smf: {records} gone before they could be read")
        sys.stdout.buffer.write(b"".join(found.records))
        sys.stdout.buffer.flush()
        idle_s = 0.0 if found.records else idle_s + _WAIT_S
        at = found.next
    return 0


def _status(connection: Connection, *, as_json: bool) -> None:
    found = connection.smf_status()
    if as_json:
        write_json([asdict(one) for one in found])
        return
    for one in found:
        write(f"{one.name} ({one.kind}) {one.place}".rstrip())
        write(f"   written {_amount(one.written, one.written_bytes)}")
        losing = f"; losing now: {one.why}" if one.why else ""
        write(f"   lost {_amount(one.lost, one.lost_bytes)}{losing}")


def _amount(records: int, length: int) -> str:
    return f"{count_text(records, 'record')}, {count_text(length, 'byte')}"
