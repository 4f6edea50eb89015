"""The queue manager under load: made for a run, in a process of its own, ended with it.

It is made by the usual commands (crtmqm, ternmq run) in a data folder of its own.
Its SMF records go to the folder of the run, one statistics interval a second.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Final, Self

import ternmq
from ternmq.perf.collected import Collected
from ternmq.perf.processes import Gauge, gauge
from ternmq.perf.queues import LISTENER, PAIRS_MAX, names, script
from ternmq.perf.tasks import Place
from ternmq.perf.workload import ACCOUNTING, NOTHING, STATISTICS, TRACE, USUAL

NAME: Final = "PERF"
INTERVAL_S: Final = 1
START_S: Final = 60.0
END_S: Final = 60
LOOK_S: Final = 0.05
TRACE_MB: Final = 64
STATISTICS_S: Final = 10.0  # an interval that was not written by then is not waited for
# Room for a unit of work of some messages of 4 MB, and for a second at the bound of the log.
LOG_FILES: Final = 4
LOG_PAGES: Final = 16_384
_INI: Final = """\
TCP:
   Port=0
SystemParameters:
   STATIME=0.{interval:02}
SMFDestination:
   Name=PERF
   Type=DataSet
   Path={folder}
   Size=64
   Keep=0
"""
_STATISTICS: Final = "START TRACE(STAT) CLASS(1,2,3,4,5)"
_ACCOUNTING: Final = "START TRACE(ACCTG) CLASS(3,4)"
# What is measured in each mode, besides the trace.
STARTED: Final[dict[str, tuple[str, ...]]] = {
    USUAL: (_STATISTICS, _ACCOUNTING),
    NOTHING: (),
    STATISTICS: (_STATISTICS,),
    ACCOUNTING: (_ACCOUNTING,),
    TRACE: (),
}


class QueueManagerFailed(Exception):
    """The queue manager could not be made or started, or refused a command; the text says why."""


class QueueManager:
    """A queue manager in `folder`/data, with its SMF records in `folder`/smf."""

    def __init__(
        self,
        folder: Path,
        *,
        log_pages: int = LOG_PAGES,
        queues_most: int = PAIRS_MAX,
        name: str = NAME,
    ) -> None:
        self.name: Final = name
        self._folder: Final = folder.absolute()
        self._log_pages: Final = log_pages
        self._queues_most: Final = queues_most
        self.data: Final = self._folder / "data"
        self.smf: Final = self._folder / "smf"
        self._collected: Final = Collected(self.smf)
        self._process: subprocess.Popen[bytes] | None = None
        self._control: ternmq.Connection | None = None
        self.port = 0

    def __enter__(self) -> Self:
        self.smf.mkdir(parents=True, exist_ok=True)
        try:
            self._start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    @property
    def place(self) -> Place:
        """Where applications find it."""
        return Place(self.name, str(self.data), self.port)

    def _start(self) -> None:
        ini, mqsc = self._folder / "perf.ini", self._folder / "perf.mqsc"
        ini.write_text(_INI.format(interval=INTERVAL_S, folder=self.smf), encoding="utf-8")
        mqsc.write_text(script(self._queues_most), encoding="utf-8")
        log = ("-lp", str(LOG_FILES), "-lf", str(self._log_pages))
        self.command("crtmqm", *log, "-ii", str(ini), "-ic", str(mqsc), self.name)
        with (self._folder / "queue-manager.log").open("ab") as said:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "ternmq", "run", self.name],
                env=self._environment(),
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
            )
        self._control = self._connected()
        (shown,) = self._control.mqsc(f"DISPLAY LSSTATUS({LISTENER}) PORT")
        self.port = int(str(shown["PORT"]))

    def _connected(self) -> ternmq.Connection:
        """As soon as it can be."""
        end = time.monotonic() + START_S
        while True:
            if self._process is None or self._process.poll() is not None:
                raise QueueManagerFailed(f"the queue manager did not start: {self._said()}")
            try:
                return ternmq.connect(self.name, data=self.data)
            except ternmq.MQError:
                if time.monotonic() > end:
                    raise
                time.sleep(LOOK_S)

    def _said(self) -> str:
        text = (self._folder / "queue-manager.log").read_text(encoding="utf-8", errors="replace")
        lines = [line for line in text.splitlines() if line.strip()]
        return lines[-1] if lines else "it said nothing"

    def _environment(self) -> dict[str, str]:
        return {**os.environ, "TERNMQ_DATA": str(self.data)}

    def command(self, *words: str) -> None:
        """A control command, as it would be typed."""
        done = subprocess.run(
            [sys.executable, "-m", "ternmq", *words],
            env=self._environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise QueueManagerFailed(f"{words[0]}: {(done.stdout + done.stderr).strip()}")

    def mqsc(self, line: str) -> None:
        """A command that must succeed."""
        if self._control is not None:
            for answer in self._control.mqsc(line):
                if not answer.ok:
                    raise QueueManagerFailed(f"{line}: {answer.message}")

    def channel_status(self, channel: str) -> str:
        """STATUS of DISPLAY CHSTATUS; INACTIVE if there is none."""
        if self._control is not None:
            for answer in self._control.mqsc(f"DISPLAY CHSTATUS({channel}) STATUS"):
                if answer.ok:
                    return str(answer.get("STATUS", "INACTIVE"))
        return "INACTIVE"

    def measure(self, mode: str) -> None:
        """End what is measured and begin again: the first interval begins here."""
        self.stop_measuring()
        if mode == TRACE:
            before = self._traced()
            self.command("strmqtrc", "-m", self.name, "-l", str(TRACE_MB))
            self._await_trace(before)
        for line in STARTED[mode]:
            self.mqsc(line)

    def stop_measuring(self, mode: str = "") -> None:
        """Have what was counted so far written: statistics when their interval ends, not before."""
        if mode == USUAL:
            self._await_statistics(time.time())
        if self._control is not None:
            self._control.mqsc("STOP TRACE(*)")  # refused if none is on, which is as well
        if mode == TRACE:
            self.command("endmqtrc", "-m", self.name)

    def _await_statistics(self, since_s: float) -> None:
        end = time.monotonic() + STATISTICS_S
        while self._collected.statistics_until_s() < since_s and time.monotonic() < end:
            time.sleep(LOOK_S)

    def _traced(self) -> list[tuple[str, int]]:
        """The files of the trace and how long they are."""
        return sorted((path.name, path.stat().st_size) for path in self.data.glob("trace/*.TRC"))

    def _await_trace(self, before: list[tuple[str, int]]) -> None:
        """It is looked for from time to time: here until something was written."""
        end = time.monotonic() + START_S
        while self._traced() == before:
            self.mqsc("PING QMGR")
            if time.monotonic() > end:
                raise QueueManagerFailed("the trace did not begin")
            time.sleep(LOOK_S)

    def empty(self) -> None:
        """Nothing is left over from the point before."""
        if self._control is None:
            return
        for name in names(self._queues_most):
            self._control.clear_queue(name)

    def check(self) -> None:
        """QueueManagerFailed if it has ended by itself."""
        if self._process is None or self._process.poll() is not None:
            raise QueueManagerFailed(f"the queue manager has ended: {self._said()}")

    def gauge(self) -> Gauge:
        """CPU and memory of its process."""
        if self._process is None:
            raise QueueManagerFailed("the queue manager is not running")
        return gauge(self._process.pid)

    def close(self) -> None:
        """It ends, and its messages go with its data folder's next use."""
        control, self._control = self._control, None
        if control is not None and control.connected:
            try:
                control.disconnect()
            except ternmq.MQError:
                pass  # it has ended before
        process, self._process = self._process, None
        if process is None:
            return
        if process.poll() is None:
            process.terminate()
        try:
            process.wait(END_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
