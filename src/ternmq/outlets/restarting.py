"""Tasks that a queue manager can do without: one that fails is reported, and begun again.

As in IBM MQ, where the tasks of the restartable utility process (statistics among them) are
restarted, while the end of a fundamental one (log, checkpoints) ends the queue manager. The pauses
between tries grow, and a task that fails again and again is given up; the queue manager goes on.
"""

from __future__ import annotations

import threading
import time
import traceback
from collections.abc import Callable
from typing import Final

STARTED: Final = "AMQ5051I"  # task
ENDED: Final = "AMQ5041I"  # task
GIVEN_UP: Final = "AMQ5038E"  # task, error
PAUSE_S: Final = 0.1  # before the first new try, then twice as long each time
PAUSE_S_MAX: Final = 30.0
FAILURES_MAX: Final = 10  # one after the other
WELL_S: Final = 60.0  # a task that has worked so long is well again

LogMessage = Callable[..., None]  # a message and its inserts
OnFault = Callable[[BaseException, str], None]  # what was raised, and while doing what


def report(on_fault: OnFault | None, error: BaseException, doing: str) -> None:
    """To `on_fault`, which reports internal faults; in an application's process to stderr."""
    if on_fault is not None:
        on_fault(error, doing)
    else:
        traceback.print_exception(error)


def went_well(work: Callable[[], None], on_fault: OnFault | None, doing: str) -> bool:
    """Do something whose failure harms nothing else; a fault is reported."""
    try:
        work()
    except Exception as error:
        report(on_fault, error, doing)
        return False
    return True


class RestartedTask:
    """A thread that does one kind of work until that returns."""

    def __init__(
        self,
        name: str,
        work: Callable[[], None],
        log_message: LogMessage,
        on_fault: OnFault | None,
        thread_name: str,
        pause_s: float = PAUSE_S,
    ) -> None:
        self.name = name  # as messages call it
        self.failures = 0  # since it last worked well
        self.is_given_up = False
        self._work = work
        self._log_message = log_message
        self._on_fault = on_fault
        self._pause_s = pause_s
        self._hurried = threading.Event()
        self._thread = threading.Thread(target=self._run, name=thread_name, daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    @property
    def is_alive(self) -> bool:
        """Whether it works, or will be tried again."""
        return self._thread.is_alive()

    def join(self, wait_s: float | None = None) -> None:
        """Wait until the work has returned; the caller has ended it. A pause is cut short."""
        self._hurried.set()
        self._thread.join(wait_s)

    def _run(self) -> None:
        while not self.is_given_up:
            begun = time.monotonic()
            try:
                self._work()
                return
            except Exception as error:
                if time.monotonic() - begun >= WELL_S:
                    self.failures = 0
                self.failures += 1
                self._failed(error)

    def _failed(self, error: Exception) -> None:
        report(self._on_fault, error, f"the task {self.name}")
        self._log_message(ENDED, self.name)
        if self.failures >= FAILURES_MAX:
            self.is_given_up = True
            self._log_message(GIVEN_UP, self.name, f"{type(error).__name__}: {error}")
            return
        self._hurried.wait(min(self._pause_s * 2 ** (self.failures - 1), PAUSE_S_MAX))
        self._log_message(STARTED, self.name)
