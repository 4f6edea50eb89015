"""What the recovery log has done since the queue manager started, and how full it is.

A snapshot for people and monitoring; `QueueManager.log_status()` takes it.
"""

from __future__ import annotations

from dataclasses import dataclass

from ternmq.client.shell import Shell


@dataclass(frozen=True)
class LogStatus:
    """Counts since the start; `used` is of now."""

    records_replayed: int  # read by the restart that began this run
    records: int  # appended
    written_bytes: int  # padding included, one copy
    forces: int  # datasyncs that callers waited for
    checkpoints: int
    commits: int
    backouts: int
    victims: int  # units of work backed out because the log was full
    used: float  # what restart would need, as a part of the primary files; may exceed 1

    @property
    def records_per_force(self) -> float:
        """How much group commit saves."""
        return self.records / self.forces if self.forces else 0.0


def log_status(shell: Shell) -> LogStatus:
    """Take the snapshot."""
    engine = shell.engine
    with shell.lock:
        end_lsn = int(engine.log.end_lsn)
        return LogStatus(
            records_replayed=int(engine.records_replayed),
            records=int(engine.log.records),
            written_bytes=end_lsn - int(engine.opened.reader.end_lsn),
            forces=int(shell.forcer.forces),
            checkpoints=int(engine.keeper.checkpoints),
            commits=int(engine.coordinator.commits),
            backouts=int(engine.coordinator.backouts),
            victims=int(engine.keeper.victims),
            used=engine.keeper.space.used_fraction(end_lsn),
        )
