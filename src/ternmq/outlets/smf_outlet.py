"""A destination of SMF records that is slower than memory: a bounded buffer and a thread behind it.

A caller gives its records and goes on. What the buffer has no room for, and what the disk
refused, is lost and counted. CSQW133E reports when losing begins, CSQW123I when it ends. A
destination writes what has gathered with one call.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Final

from ternmq.outlets.restarting import PAUSE_S, OnFault, RestartedTask

BUFFER_BYTES_DEFAULT: Final = 16_777_216
LOSES: Final = "AMQ7991E"  # destination, why
RESUMED: Final = "AMQ7992I"  # destination, records lost, bytes lost

LogMessage = Callable[..., None]


class Outlet:
    """One destination; the files are the business of `Writes`."""

    def __init__(
        self,
        name: str,
        writes: Writes,
        log_message: LogMessage,
        buffer_bytes_max: int = BUFFER_BYTES_DEFAULT,
        types: frozenset[int] = frozenset(),
        on_fault: OnFault | None = None,
        pause_s: float = PAUSE_S,
    ) -> None:
        self.name = name
        self.writes = writes
        self.types = types  # of records it takes; none named: all
        self.buffer_bytes_max = buffer_bytes_max
        self.written = 0  # records
        self.written_bytes = 0
        self.lost = 0
        self.lost_bytes = 0
        self.why = ""  # of the loss that goes on
        self._log_message = log_message
        self._changed = threading.Condition()
        self._waiting: list[bytes] = []
        self._waiting_bytes = 0
        self._asked: list[threading.Event] = []  # those that want a switch
        self._lost_before = 0  # at the end of the last loss
        self._lost_bytes_before = 0
        self._busy = False
        self._ending = False
        self._on_fault = on_fault
        self._pause_s = pause_s
        self._worker: RestartedTask | None = None  # begun with the first records

    @property
    def losing(self) -> bool:
        """Whether data is being lost now."""
        return bool(self.why)

    def give(self, records: list[bytes]) -> None:
        """Take what there is room for. Never waits for the disk."""
        wanted = [one for one in records if not self.types or one[5] in self.types]
        begins = ""
        with self._changed:
            for record in wanted:
                if self._waiting_bytes + len(record) <= self.buffer_bytes_max:
                    self._waiting.append(record)
                    self._waiting_bytes += len(record)
                else:
                    full = f"its buffer of {self.buffer_bytes_max} bytes is full"
                    begins = self._lose([record], full) or begins
            self._begin()
            self._changed.notify_all()
        if begins:
            self._log_message(LOSES, self.name, begins)

    def _begin(self) -> None:
        """With the lock: a queue manager that records nothing has no thread for it."""
        if self._worker is None:
            name = f"ternmq-smf-{self.name}"
            self._worker = RestartedTask(
                f"SMF-{self.name}",
                self._run,
                self._log_message,
                self._on_fault,
                name,
                self._pause_s,
            )
            self._worker.start()

    def _lose(self, records: list[bytes], why: str) -> str:
        """With the lock: count; returns why, if this is where it begins."""
        self.lost += len(records)
        self.lost_bytes += sum(len(one) for one in records)
        begins = "" if self.why else why
        self.why = why
        return begins

    def switch(self, wait_s: float = 10.0) -> bool:
        """Begin a new file once what was given so far is written; False if that takes too long."""
        done = threading.Event()
        with self._changed:
            if self._worker is None:
                return True  # there is no file yet
            self._asked.append(done)
            self._changed.notify_all()
        return done.wait(wait_s)

    def drain(self, wait_s: float = 10.0) -> bool:
        """Wait until all that was given is written or lost."""
        with self._changed:
            self._changed.wait_for(self._is_through, wait_s)
            return not self._waiting and not self._busy

    def _is_through(self) -> bool:
        worker = self._worker
        is_lost = worker is not None and worker.is_given_up
        return is_lost or (not self._waiting and not self._busy)

    def end(self, wait_s: float = 10.0) -> None:
        """Write what is left and close the file. A disk that hangs is not waited for longer than
        this: what it has not taken is lost, and reported."""
        with self._changed:
            self._ending = True
            self._changed.notify_all()
            worker = self._worker
        if worker is None:
            return
        worker.join(wait_s)
        if worker.is_alive or worker.is_given_up:
            with self._changed:
                left = self._waiting
                self._waiting = []
                self._waiting_bytes = 0
                begins = self._lose(left, "the disk did not take it before the end")
            if left or worker.is_alive:
                self._log_message(LOSES, self.name, begins or self.why)

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._asked or self._ending)
                batch = self._waiting
                self._waiting = []
                asked = self._asked
                self._asked = []
                self._busy = True
                ends = self._ending and not batch
            try:
                self._write(batch)
                if asked:
                    self._close()
            finally:
                for done in asked:
                    done.set()
                with self._changed:
                    # ORDER: room is made only when the batch is written, or the buffer had no bound
                    self._waiting_bytes -= sum(len(one) for one in batch)
                    self._busy = False
                    self._changed.notify_all()
            if ends:
                self._close()
                return

    def _write(self, batch: list[bytes]) -> None:
        if not batch:
            return
        try:
            self.writes.write(batch)
        except OSError as error:
            self._lose_batch(batch, f"{error.strerror or error}")
            return
        except Exception as fault:
            self._lose_batch(batch, repr(fault))
            raise
        with self._changed:
            self.written += len(batch)
            self.written_bytes += sum(len(one) for one in batch)
            resumed = self.losing
            records = self.lost - self._lost_before
            size = self.lost_bytes - self._lost_bytes_before
            if resumed:
                self.why = ""
                self._lost_before = self.lost
                self._lost_bytes_before = self.lost_bytes
        if resumed:
            self._log_message(RESUMED, self.name, records, size)

    def _lose_batch(self, batch: list[bytes], why: str) -> None:
        with self._changed:
            begins = self._lose(batch, why)
        if begins:
            self._log_message(LOSES, self.name, begins)

    def _close(self) -> None:
        try:
            self.writes.close()
        except OSError as error:
            self._log_message(LOSES, self.name, f"{error.strerror or error}")


class Writes:
    """What an outlet does with records: one object a destination, used by its thread alone."""

    def write(self, records: list[bytes]) -> None:
        """To the file, all of them; OSError if not."""
        raise NotImplementedError

    def close(self) -> None:
        """The file is complete; the next write begins another."""
        raise NotImplementedError
