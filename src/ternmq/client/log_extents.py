"""The files of the recovery log, and what each is needed for: what `QueueManager.log_extents()`
gives."""

from __future__ import annotations

from dataclasses import dataclass

from ternmq.client.shell import Shell
from ternmq.log.archive import extent_name, stored_extents
from ternmq.txn.extent_needs import extent_needs


@dataclass(frozen=True)
class LogExtents:
    """Names of files in `log/active` (and `log/active2`, if there are two copies).

    A name that is empty stands for none: a circular log has no media log, and the files of one have
    no order by name.
    """

    current: str  # the one that is being written
    restart: str  # the oldest that a restart needs
    media: str  # the oldest that media recovery needs
    media_object: str  # whose image keeps it; "(catalog)" stands for all definitions
    stored: tuple[str, ...]  # all that are there
    archivable: tuple[str, ...]  # full: they will not change and can be copied
    superfluous: tuple[str, ...]  # full, and needed neither for restart nor for media recovery


def log_extents(shell: Shell) -> LogExtents:
    """Take the snapshot."""
    keeper = shell.engine.keeper
    parameters = keeper.control.parameters
    if not parameters.is_linear:
        return LogExtents("", "", "", "", (), (), ())
    with shell.lock:
        needs = extent_needs(keeper)
    stored = stored_extents(shell.disk, keeper.control)
    full = [one for one in stored if one < needs.current]
    return LogExtents(
        current=extent_name(needs.current),
        restart=extent_name(needs.restart),
        media="" if needs.media < 0 else extent_name(needs.media),
        media_object=needs.media_object,
        stored=tuple(extent_name(one) for one in stored),
        archivable=tuple(extent_name(one) for one in full),
        superfluous=tuple(extent_name(one) for one in full if one < needs.oldest),
    )
