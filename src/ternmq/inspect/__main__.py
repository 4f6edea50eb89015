"""`python -m ternmq.inspect dump|verify|buffers|salvage FOLDER`: the tools of this package as a
program. Commands under MQ's names come with administration.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable

from ternmq.base.errors import ForceFailed, IntegrityError, MQError
from ternmq.inspect.buffers import (
    buffers_json,
    buffers_lines,
    set_buffers,
    show_buffers,
    size_in_bytes,
)
from ternmq.inspect.dump import DATA_BYTES_SHOWN, LogDump, Range, json_lines, text_lines
from ternmq.inspect.folder import Folder
from ternmq.inspect.report import (
    EXIT_DAMAGED,
    EXIT_LOST,
    EXIT_SOUND,
    report_json,
    report_lines,
)
from ternmq.inspect.salvage import salvage_to_file
from ternmq.inspect.verify import verify

EXIT_USAGE = 2


def main(arguments: list[str]) -> int:
    """Run one of the tools; the exit status."""
    options = parser().parse_args(arguments)
    run = {"dump": _dump, "verify": _verify, "buffers": _buffers, "salvage": _salvage}
    try:
        status = run[options.tool](options)
    except BrokenPipeError:  # the reader of the output has ended
        sys.stderr.close()
        return EXIT_SOUND
    except ValueError as error:
        sys.stderr.write(f"{error}\n")
        return EXIT_USAGE
    except (MQError, IntegrityError, ForceFailed, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return EXIT_LOST
    return status


def parser() -> argparse.ArgumentParser:
    """The command line."""
    program = argparse.ArgumentParser(prog="python -m ternmq.inspect", description=__doc__)
    tools = program.add_subparsers(dest="tool", required=True, metavar="TOOL")
    dump = _tool(tools, "dump", "show the records of the recovery log")
    where = dump.add_mutually_exclusive_group()
    where.add_argument("-b", "--base", action="store_true", help="from the oldest record there is")
    where.add_argument("-s", "--start", type=int, metavar="LSN", help="from this LSN")
    where.add_argument("-n", "--extent", type=int, metavar="N", help="from this extent")
    where.add_argument("-c", "--checkpoint", action="store_true", help="from the last checkpoint")
    dump.add_argument("-e", "--end", type=int, metavar="LSN", help="up to this LSN")
    dump.add_argument("--count", type=int, metavar="N", help="so many records")
    dump.add_argument("--copy", type=int, default=0, choices=(1, 2), help="one copy of a dual log")
    dump.add_argument(
        "--data", type=int, default=DATA_BYTES_SHOWN, metavar="N", help="bytes of each message"
    )
    dump.add_argument("--brief", action="store_true", help="a line a record")
    _tool(tools, "verify", "check every file, and rehearse a start")
    buffers = _tool(tools, "buffers", "show or set the buffers of queues")
    buffers.add_argument("--queue", default="*", metavar="PATTERN", help="queues; * is all")
    buffers.add_argument("--persistent", type=size_in_bytes, metavar="SIZE", help="set it")
    buffers.add_argument("--nonpersistent", type=size_in_bytes, metavar="SIZE", help="set it")
    salvage = _tool(tools, "salvage", "write what can be read of a queue's messages to a file")
    salvage.add_argument("--queue", required=True, metavar="NAME")
    salvage.add_argument("--output", required=True, metavar="FILE", help="JSON lines; replaced")
    salvage.add_argument("--dead", action="store_true", help="also messages that were got already")
    return program


def _tool(
    tools: argparse._SubParsersAction[argparse.ArgumentParser], name: str, about: str
) -> argparse.ArgumentParser:
    tool = tools.add_parser(name, help=about, description=about)
    tool.add_argument("folder", help="the data folder, or the queue manager's own in it")
    tool.add_argument("-m", "--qmgr", metavar="NAME", help="which, if there are several")
    tool.add_argument("--json", action="store_true", help="for programs instead of eyes")
    return tool


def _write(lines: Iterable[str]) -> None:
    for line in lines:
        sys.stdout.write(f"{line}\n")


def _dump(options: argparse.Namespace) -> int:
    wanted = Range(
        base=options.base,
        start=options.start,
        extent=options.extent,
        checkpoint=options.checkpoint,
        end=options.end,
        count=options.count,
    )
    with Folder(options.folder, options.qmgr) as folder:
        dump = LogDump(folder, options.copy)
        if options.json:
            _write(json_lines(dump, wanted, options.data))
        else:
            _write(text_lines(dump, wanted, options.data, options.brief))
    return EXIT_SOUND if dump.is_sound else EXIT_DAMAGED


def _verify(options: argparse.Namespace) -> int:
    report = verify(options.folder, options.qmgr)
    _write([report_json(report)] if options.json else report_lines(report))
    return report.exit_status


def _buffers(options: argparse.Namespace) -> int:
    if options.persistent is None and options.nonpersistent is None:
        rows = show_buffers(options.folder, options.qmgr, options.queue)
    else:
        rows = set_buffers(
            options.folder,
            options.qmgr,
            pattern=options.queue,
            persistent=options.persistent,
            nonpersistent=options.nonpersistent,
        )
    _write([buffers_json(rows)] if options.json else buffers_lines(rows))
    return EXIT_SOUND


def _salvage(options: argparse.Namespace) -> int:
    found = salvage_to_file(
        options.folder, options.qmgr, options.queue, options.output, dead=options.dead
    )
    _write([found.as_json()] if options.json else found.lines())
    return EXIT_SOUND if not found.faults else EXIT_DAMAGED


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
