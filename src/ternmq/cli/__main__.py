"""The entry `ternmq COMMAND ...`, and every command under its own name."""

from __future__ import annotations

import os
import sys
from typing import Final

from ternmq.base.message_table import message_line
from ternmq.base.product import VERSION
from ternmq.base.similar import did_you_mean
from ternmq.cli.commands import BY_NAME, COMMANDS, Row, command, help_text
from ternmq.cli.output import show_every_character, suppress_errors, write, write_error, write_lines
from ternmq.cli.own_process import set_own_process

EXIT_USAGE: Final = 36
EXIT_UNEXPECTED: Final = 71
EXIT_INTERRUPTED: Final = 130  # as shells say it


def main(argv: list[str]) -> int:
    """`ternmq COMMAND ARGUMENTS`; the exit status."""
    if not argv or argv[0] in ("-?", "-h", "--help", "help"):
        write_lines(_overview())
        return 0 if argv else EXIT_USAGE
    if argv[0] in ("-V", "--version", "version"):
        write(f"TernMQ {VERSION}")
        return 0
    row = BY_NAME.get(argv[0])
    if row is None:
        hint = did_you_mean(argv[0], BY_NAME) or "`ternmq help` lists all."
        write_error(f"ternmq: there is no command {argv[0]!r}. {hint}")
        return EXIT_USAGE
    return run(row, argv[1:])


def run(row: Row, argv: list[str]) -> int:
    """One command, to its exit status."""
    from ternmq.base.errors import ForceFailed, IntegrityError, MQError
    from ternmq.base.ini import IniError

    if row.bare and argv in (["-?"], ["-h"], ["--help"]):
        write(help_text(row))
        return 0
    suppress_errors(False)
    try:
        status = command(row)(argv)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of the output has ended
        # What is still buffered has nowhere to go; Python's last flush must not complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except (MQError, IntegrityError, ForceFailed, OSError) as error:
        write_error(f"{row.name}: {error}")
        return EXIT_UNEXPECTED
    except IniError as wrong:
        write_error(message_line("AMQ6162E", (wrong.file, f"line {wrong.line}: {wrong.why}")))
        return EXIT_UNEXPECTED
    except Exception as fault:  # unforeseen: a report for the maintainers, a line for people
        return _faulty(row.name, fault)
    return status


def _faulty(name: str, fault: Exception) -> int:
    """Report a fault in the product, and where the report on it is."""
    from ternmq.remote.local.folder_lookup import data_folder
    from ternmq.server.error_log.fault_report import FaultReports, probe_id
    from ternmq.server.error_log.log_entry import Origin

    reports = FaultReports(
        os.path.join(data_folder(), "errors"), Origin("", VERSION, program=name), None
    )
    path = reports.write(fault, doing=f"command {name}")
    write_error(message_line("AMQ6125E", (probe_id(fault),)))
    write_error(f"{name}: {type(fault).__name__}; report: {path or 'could not be written'}")
    return EXIT_UNEXPECTED


def _overview() -> list[str]:
    lines = ["usage: ternmq COMMAND [ARGUMENTS]; `ternmq COMMAND --help` says more", ""]
    width = max((len(row.name) for row in COMMANDS), default=0)
    lines += [f"  {row.name.ljust(width)}  {row.about}" for row in COMMANDS]
    return lines


def entry() -> None:
    """The program `ternmq`."""
    set_own_process()
    show_every_character()
    sys.exit(main(sys.argv[1:]))


def by_name() -> None:
    """A program that is named after its command."""
    set_own_process()
    show_every_character()
    sys.exit(run(BY_NAME[os.path.basename(sys.argv[0])], sys.argv[1:]))


if __name__ == "__main__":
    entry()
