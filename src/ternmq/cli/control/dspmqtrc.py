"""dspmqtrc: makes traces readable: each AMQn.TRC becomes AMQn.FMT, a line a record."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final, TextIO

from ternmq.cli.arguments import CommandLine
from ternmq.cli.output import write, write_error, write_lines

ABOUT: Final = "format traces for people"
BAD_ARGUMENTS: Final = 36
FAILED: Final = 1
_HEAD: Final = (
    "Time (UTC)       Process  Conn  Component  Verb        Reason        us  Object and more"
)
_SHOWN: Final = ("time", "process", "connection", "component", "verb", "reason", "us", "object")


def main(argv: list[str]) -> int:
    """Run the command."""
    line = CommandLine("dspmqtrc", ABOUT, BAD_ARGUMENTS)
    line.add_argument("-o", metavar="FILE", help="one file for all; - is standard output")
    line.add_argument("-s", action="store_true", help="a summary: verbs, how often, how long")
    line.add_argument("file", nargs="+", help="AMQ*.TRC")
    line.add_json()
    asked = line.parse_args(argv)
    status = 0
    for name in asked.file:
        try:
            with open(name, encoding="utf-8") as file:
                if asked.json:
                    write_lines(json.dumps(record) for record in _records(file, name))
                elif asked.s:
                    write_lines(_summary(file, name))
                else:
                    _format(file, name, asked.o)
        except OSError as error:
            write_error(f"dspmqtrc: {error}")
            status = FAILED
    return status


def _format(file: TextIO, name: str, target: str | None) -> None:
    lines = [_HEAD, *map(text_of, _records(file, name))]
    if target == "-":
        write_lines(lines)
        return
    path = target or f"{name.removesuffix('.TRC')}.FMT"
    with open(path, "a" if target else "w", encoding="utf-8") as out:
        out.writelines(f"{line}\n" for line in lines)
    write(f"{name} formatted to {path}")


def _records(file: TextIO, name: str) -> Iterator[dict[str, Any]]:
    """What is in a file; the last line of a process that was killed may be cut."""
    for number, line in enumerate(file, 1):
        try:
            record = json.loads(line)
            record["time"]
        except (ValueError, KeyError, TypeError):
            write_error(f"dspmqtrc: {name}, line {number}: no record of a trace")
            continue
        yield record


def text_of(record: dict[str, Any]) -> str:
    """One line for people."""
    clock = str(record["time"])[11:26]
    more = " ".join(
        f"{key}={value}" for key, value in record.items() if key not in (*_SHOWN, "qmgr") and value
    )
    return (
        f"{clock:<16} {record.get('process', ''):>7}  {record.get('connection', ''):>4}  "
        f"{record.get('component', ''):<9}  {record.get('verb', ''):<10}  "
        f"{record.get('reason', ''):>6}  {record.get('us', ''):>8}  "
        f"{record.get('object', '')} {more}"
    ).rstrip()


def _summary(file: TextIO, name: str) -> list[str]:
    times: dict[tuple[str, str], list[int]] = {}
    for record in _records(file, name):
        key = (str(record.get("component", "")), str(record.get("verb", "")))
        times.setdefault(key, []).append(int(record.get("us") or 0))
    lines = ["Component  Verb            Count   Mean us    Max us"]
    for (component, verb), took in sorted(times.items()):
        mean = sum(took) // len(took)
        lines.append(f"{component:<9}  {verb:<12} {len(took):>8} {mean:>9} {max(took):>9}")
    return lines
