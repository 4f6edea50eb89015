"""What the recovery log has done since the queue manager started, and how full it is.

A snapshot for people and monitoring; `QueueManager.log_status()` takes it.
"""

from __future__ import annotations

from ternmq.host.shell import Shell
from ternmq.values.status import LogStatus


def log_status(shell: Shell) -> LogStatus:
    """Take the snapshot."""
    with shell.lock:
        return log_figures(shell)


def log_figures(shell: Shell) -> LogStatus:
    """The same with the engine's lock."""
    engine = shell.engine
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
