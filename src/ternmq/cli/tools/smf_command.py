"""ternmq smf: SMF records of MQ, ours and those of z/OS, as tables for eyes, as CSV or as JSON."""

from __future__ import annotations

import argparse
import contextlib
from typing import Final

from ternmq.base.errors import MQError
from ternmq.base.words import count_text
from ternmq.cli.arguments import CommandLine
from ternmq.cli.output import Progress, terminal_columns, write_error
from ternmq.cli.tools.smf_dump import Dump
from ternmq.cli.tools.smf_export import Export, ToCSV, ToJSON
from ternmq.cli.tools.smf_input import opened
from ternmq.cli.tools.smf_live import ACTIONS
from ternmq.cli.tools.smf_live import main as live
from ternmq.cli.tools.smf_selection import Selection, kinds_of, level_range, sections_of
from ternmq.codec.smf.framing import FORMS
from ternmq.codec.smf.reader import Reader, Tally

ABOUT: Final = """\
Show SMF records 115 and 116 of MQ, those of z/OS and those that this queue manager writes.

  dump   tables for eyes: a column for each copy of a section
  csv    lines with the headings of mq-smf-csv, a file for each kind of section
  json   an object on a line for each section
  report reports as MQSMF lays them out (ternmq smf report --help)

Of a running queue manager: follow, switch, status (ternmq smf status --help).
"""
OK: Final = 0
NOT_ALL_READ: Final = 10  # some records are damaged, cut, or of a level that is not known
BAD_ARGUMENTS: Final = 36
UNREADABLE: Final = 71


def main(argv: list[str]) -> int:
    """Run the command."""
    if argv and argv[0] in ACTIONS:
        return live(argv)
    if argv and argv[0] == "report":
        from ternmq.cli.tools.smf_report import main as report

        return report(argv)
    line = _line()
    asked = line.parse_args(argv)
    try:
        selection = Selection(
            kinds_of(asked.type),
            sections_of(asked.section),
            level_range(asked.level),
        )
        export = _export(asked, selection, line)
    except ValueError as wrong:
        line.error(str(wrong))
    tally = Tally()
    status = OK
    with contextlib.closing(export):
        for name in asked.files:
            status = max(status, _show(name, asked, selection, export, tally))
    if not asked.quiet:
        _report(tally)
    return max(status, NOT_ALL_READ) if tally.not_read else status


def _line() -> CommandLine:
    line = CommandLine("ternmq smf", ABOUT, BAD_ARGUMENTS)
    line.add_argument("action", choices=("dump", "csv", "json"), help="the form of the output")
    line.add_argument(
        "files", metavar="FILE", nargs="+", help="file or log stream; - standard input"
    )
    line.add_argument(
        "--form", choices=FORMS, default="", help="of the files; recognised if left out"
    )
    line.add_argument("--section", action="append", metavar="NAME", help="only this: WQ, QMST ...")
    line.add_argument("--type", action="append", metavar="TYPE", help="only this: 115, 116-1 ...")
    line.add_argument("--level", default="", help="only records of 8.0, 945, 9.3-10.0 ...")
    line.add_argument(
        "--newer", action="store_true", help="levels after the last that is known too"
    )
    line.add_argument("-o", "--output", metavar="FOLDER", help="csv: where the files go")
    line.add_argument("--all", action="store_true", help="dump: also values that are zero or empty")
    line.add_argument("--width", type=int, default=0, help="dump: columns of the terminal")
    line.add_argument("--quiet", action="store_true", help="do not count what was read")
    return line


def _export(asked: argparse.Namespace, selection: Selection, line: CommandLine) -> Export:
    if asked.action == "json":
        return ToJSON()
    if asked.action == "dump":
        return Dump(asked.width or terminal_columns(), asked.all)
    if asked.output is None and len(selection.sections or ()) != 1:
        line.error("csv needs a folder (--output), or one --section for standard output")
    return ToCSV(asked.output)


def _show(
    name: str, asked: argparse.Namespace, selection: Selection, export: Export, tally: Tally
) -> int:
    """One file; the status that it ends with."""
    try:
        with opened(name) as data, Progress(name, data.total) as progress:
            form = data.form or asked.form
            reader = Reader(data.read, form=form, kinds=selection.kinds, newer=asked.newer)
            try:
                for record in reader:
                    if selection.wants_level(record.level):
                        try:
                            export.add(record, record.sections(selection.sections))
                        except MQError as wrong:
                            reader.note_damage(wrong)
                    progress.at(reader.source.offset)
            finally:
                reader.tally.truncated += len(data.cut)
                tally.add(reader.tally)
    except BrokenPipeError:  # the reader of the output has ended: the entry knows what to do
        raise
    except (MQError, OSError) as error:
        detail = error.detail if isinstance(error, MQError) else error
        write_error(f"ternmq smf: {name}: {detail}")
        return UNREADABLE
    return OK


def _report(tally: Tally) -> None:
    """What was read and what was not, on standard error."""
    read = ", ".join(f"{kind}-{sub} {n}" for (kind, sub), n in sorted(tally.read.items()))
    write_error(f"{count_text(tally.records, 'record')}; read: {read or 'none'}")
    others = ", ".join(f"{kind} {n}" for kind, n in sorted(tally.other_types.items()))
    if others:
        write_error(f"other types, passed over: {others}")
    unknown = ", ".join(f"{k}-{s} {n}" for (k, s), n in sorted(tally.unknown_subtypes.items()))
    if unknown:
        write_error(f"unknown subtypes, passed over: {unknown}")
    levels = ", ".join(f"{level!r} {n}" for level, n in sorted(tally.unknown_levels.items()))
    if levels:
        write_error(f"unknown levels, passed over (--newer reads those after the last): {levels}")
    if tally.truncated or tally.stray:
        write_error(f"cut short: {tally.truncated}; segments without their first: {tally.stray}")
    if tally.damaged:
        write_error(f"not valid: {tally.damaged}")
        for text in tally.damage:
            write_error(f"  {text}")
