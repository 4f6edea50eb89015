"""Queues that are not in memory and have messages that expire: when the first of them does.

A queue that is unloaded is remembered with its earliest expiry. Of those that no life of the queue
manager has loaded yet the journals are read once, in the background, a bounded number at a time;
nothing but the earliest expiry is kept of them. The expiry scan then loads what has come due.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.base.errors import IntegrityError
from ternmq.kernel.kernel import Kernel
from ternmq.ports.disk import Disk
from ternmq.ports.effect import Effect
from ternmq.store.catalog import Catalog, Definition
from ternmq.store.loading import state_path
from ternmq.store.state_journal import StateJournal

JOURNALS_A_LOOK: Final = 64


def is_unloaded(catalog: Catalog, definition: Definition) -> bool:
    """Whether a queue has messages on disk and is neither in memory nor damaged."""
    number = definition.object_id
    return (
        number in catalog.with_state
        and number not in catalog.queues
        and number not in catalog.damaged
    )


def look_at_journals(kernel: Kernel) -> None:
    """Begin to read the journals of queues of which nothing is known."""
    catalog = kernel.catalog
    unknown = [
        definition
        for definition in catalog.definitions.values()
        if is_unloaded(catalog, definition) and definition.object_id not in catalog.expiries
    ]
    if unknown:
        kernel.outbox.add(JournalLook(kernel, unknown))


def due_queues(kernel: Kernel, now_ns: int) -> list[Definition]:
    """Queues to be loaded because a message of theirs has expired."""
    catalog = kernel.catalog
    if not catalog.expiries:
        return []
    return [
        definition
        for definition in catalog.definitions.values()
        if 0 < catalog.expiries.get(definition.object_id, 0) <= now_ns
        and is_unloaded(catalog, definition)
    ]


@final
class JournalLook(Effect):
    """Reads some of the journals; the next one goes on with the rest."""

    def __init__(self, kernel: Kernel, definitions: list[Definition]) -> None:
        super().__init__()
        self.kernel = kernel
        self.looked = definitions[:JOURNALS_A_LOOK]
        self.rest = definitions[JOURNALS_A_LOOK:]
        self.found: dict[int, int] = {}

    def run(self, disk: Disk) -> None:
        for definition in self.looked:
            try:
                state = StateJournal.load(disk, state_path(definition.folder))
            except (IntegrityError, FileNotFoundError):
                continue  # who loads it finds out, and tells
            ends = [one.min_expiry for one in state.segments.values() if one.min_expiry]
            self.found[definition.object_id] = min(ends) if ends else 0

    def complete(self) -> None:
        catalog = self.kernel.catalog
        for definition in self.looked:
            catalog.expiries.setdefault(
                definition.object_id, self.found.get(definition.object_id, 0)
            )
        if self.rest:
            self.kernel.outbox.add(JournalLook(self.kernel, self.rest))

    def fail(self, error: OSError) -> None:
        """Not now, and it is not needed before it is loaded."""

    def damage(self, text: str) -> None:
        """It is found when the queue is loaded."""
