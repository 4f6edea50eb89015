"""`python -m ternmq.server NAME --data FOLDER --report FD`: a queue manager's detached process.

strmqm starts it. It writes JSON lines to the descriptor until it is up: {"say": text}, then
{"up": true}, or {"standby": true} if it stands by, or {"failed": text, "exit": status}.
"""

from __future__ import annotations

import argparse
import json
import os
import sys

from ternmq.remote.local.folder_lookup import find
from ternmq.runtime.starting import Started
from ternmq.server.process import Process, StartFailed
from ternmq.server.standby import Standby


class Reporter:
    """The pipe to the process that started this one; it may be gone, which stops nothing."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def report(self, **value: object) -> None:
        """One line."""
        if self._descriptor >= 0:
            try:
                os.write(self._descriptor, json.dumps(value).encode("utf-8") + b"\n")
            except OSError:
                self._close()

    def say(self, text: str) -> None:
        """A line for people."""
        self.report(say=text)

    def up(self) -> None:
        """Applications can connect."""
        self.report(up=True)
        self._close()

    def stands_by(self) -> None:
        """It waits for the active instance to end."""
        self.report(standby=True)
        self._close()

    def _close(self) -> None:
        if self._descriptor >= 0:
            descriptor, self._descriptor = self._descriptor, -1
            os.close(descriptor)


def main(argv: list[str]) -> int:
    """Run a queue manager to its end."""
    parser = argparse.ArgumentParser(prog="ternmq.server")
    parser.add_argument("name")
    parser.add_argument("--data", required=True)
    parser.add_argument("--report", type=int, default=-1)
    parser.add_argument("--no-services", action="store_true")
    parser.add_argument("--permit-standby", action="store_true")
    parser.add_argument("--standby", action="store_true")
    parser.add_argument("--metrics-port", type=int)
    options = parser.parse_args(argv)
    reporter = Reporter(options.report)
    place = find(options.data, options.name, "strmqm")
    permits = options.permit_standby or options.standby
    process = Process(
        place, reporter.say, False, not options.no_services, permits, options.metrics_port
    )
    try:
        started: Started | None
        if options.standby:
            started = Standby(place).wait_and_start(process, reporter.stands_by)
        else:
            started = process.start()
        if started is None:
            return 0
        process.serve(started, reporter.up)
    except StartFailed as failed:
        reporter.report(failed=failed.text, exit=failed.exit_status)
        return failed.exit_status
    return 1 if process.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
