"""Queues that are not in memory: how many messages they have, and when the first of them expires.

A queue that is unloaded is remembered with both numbers. Of those that were not used since the
queue manager was started the journals are read once, in the background, a bounded number at a time,
and nothing but the two numbers is kept. The expiry scan loads what has come due; statistics show
the depth.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.base.errors import IntegrityError
from ternmq.kernel.kernel import Kernel
from ternmq.ports.disk import Disk
from ternmq.ports.effect import Effect
from ternmq.store.catalog import Catalog, Definition
from ternmq.store.loading import living_messages, state_path
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


def is_unknown(catalog: Catalog, definition: Definition) -> bool:
    """Whether such a queue has not been looked at yet."""
    return is_unloaded(catalog, definition) and definition.object_id not in catalog.depths


def look_at_journals(kernel: Kernel) -> None:
    """Begin to read the journals of queues of which nothing is known, unless that is under way."""
    catalog = kernel.catalog
    if catalog.looks > 0:
        return
    unknown = [one for one in catalog.definitions.values() if is_unknown(catalog, one)]
    if unknown:
        catalog.looks += 1
        kernel.outbox.add(JournalLook(kernel, unknown))


def resting_depth(catalog: Catalog, definition: Definition) -> int:
    """Messages of a queue that is not in use; -1: it is damaged, or its depth is not known yet."""
    queue = catalog.queues.get(definition.object_id)
    if queue is not None:
        return int(queue.depth)
    if definition.object_id in catalog.damaged:
        return -1
    if definition.object_id in catalog.with_state:
        return catalog.depths.get(definition.object_id, -1)
    return 0


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
        catalog = kernel.catalog
        self.trusted = [one.object_id not in catalog.untrusted for one in self.looked]
        self.found: dict[int, tuple[int, int]] = {}  # by id: messages, and the earliest expiry

    def run(self, disk: Disk) -> None:
        for definition, trusted in zip(self.looked, self.trusted):
            try:
                state = StateJournal.load(disk, state_path(definition.folder))
                depth = living_messages(disk, definition.folder, state, trusted)
            except (IntegrityError, FileNotFoundError):
                continue  # the load of the queue finds and reports it
            ends = [one.min_expiry for one in state.segments.values() if one.min_expiry]
            self.found[definition.object_id] = (depth, min(ends) if ends else 0)

    def complete(self) -> None:
        catalog = self.kernel.catalog
        for definition in self.looked:
            # Numbers of a queue that was loaded and unloaded meanwhile are newer.
            depth, expiry = self.found.get(definition.object_id, (-1, 0))
            catalog.depths.setdefault(definition.object_id, depth)
            catalog.expiries.setdefault(definition.object_id, expiry)
        if self.rest:
            self.kernel.outbox.add(JournalLook(self.kernel, self.rest))
        else:
            catalog.looks -= 1

    def fail(self, error: OSError) -> None:
        """Not now, and it is not needed before it is loaded."""
        self.kernel.catalog.looks -= 1

    def damage(self, text: str) -> None:
        """It is found when the queue is loaded."""
        self.kernel.catalog.looks -= 1
