"""Re-creating a queue from its media image (rcrmqobj) while other work goes on.

`txn.media.queue_recovery` rebuilds it in effects, up to where the log ended when a pass began.
The queue cannot be used meanwhile, but units of work that hold messages of it may end; if one did,
another pass follows. Then, in one step, the new queue takes the place of the old one: for open
handles, waiting gets, and units of work. Non-persistent messages on the queue are gone.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.base.attributes import LOCAL
from ternmq.base.errors import MQError, mq_error
from ternmq.base.reasons import (
    MQRC_OBJECT_DAMAGED,
    MQRC_OBJECT_IN_USE,
    MQRC_OPERATION_NOT_ALLOWED,
    MQRC_RESOURCE_PROBLEM,
    MQRC_UNKNOWN_OBJECT_NAME,
)
from ternmq.kernel.connection import Connection
from ternmq.kernel.delivery import serve_all
from ternmq.kernel.kernel import OBJECT_RECORD_BYTES, QUIESCING, RUNNING, Kernel
from ternmq.kernel.media import refuse_if_circular, refuse_if_not_recoverable
from ternmq.ports.disk import Disk
from ternmq.ports.effect import Effect
from ternmq.store.catalog import Definition
from ternmq.store.queue import Queue
from ternmq.store.segment import DEAD, segment_of
from ternmq.txn.checkpoint import Checkpoint
from ternmq.txn.families.record_kind import FoundImage
from ternmq.txn.media.queue_recovery import Rebuild
from ternmq.txn.reserves import CHANGE_RESERVE
from ternmq.txn.unit import CHANGE_NONE, CHANGE_PUT, ENDED, Change, UnitOfWork
from ternmq.values.entry import Entry

VERB: Final = "re-create"
PASS_BYTES: Final = 1 << 20
UNDER_WAY: Final = "it is being re-created from its media image"


@final
class Recreation:
    """An order to re-create one object; `attempt` it until it is done."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.passes = 0
        self._effect: Effect | None = None
        self._kernel: Kernel | None = None
        self._definition: Definition | None = None
        self._old: Queue | None = None
        self._damage = ""  # what it was, empty if the queue was sound
        self._error: MQError | None = None
        self._checkpoint: Checkpoint | None = None
        self._is_installed = False

    def attempt(self, kernel: Kernel, connection: Connection) -> bool:
        """Go on; False: the connection is parked."""
        connection.begin_verb()
        kernel.refuse_if_ending(False, VERB)
        if self._kernel is None and not self._begin(kernel):
            self._is_installed = True  # a definition; the checkpoint writes the catalog
        if self._error is not None:
            raise self._error
        if not self._is_installed:
            connection.park = self._effect
            return False
        return self._save(kernel, connection)

    def _begin(self, kernel: Kernel) -> bool:
        """Check the order and begin; False if the object is not a local queue."""
        refuse_if_circular(kernel, VERB)
        catalog = kernel.catalog
        definition = catalog.definitions.get(self.name) or catalog.other_named(self.name)
        if definition is None:
            raise mq_error(MQRC_UNKNOWN_OBJECT_NAME, verb=VERB, object=self.name)
        refuse_if_not_recoverable(kernel, definition, VERB)
        self._kernel = kernel
        if definition.object_type != LOCAL:
            # All definitions are in memory: the next checkpoint writes them to a new file.
            catalog.write_whole()
            return False
        number = definition.object_id
        queue = catalog.queues.get(number)
        damage = catalog.damaged.get(number, "")
        if not damage and queue is not None:
            damage = queue.damaged
        if damage == UNDER_WAY or (not damage and queue is not None and queue.users > 0):
            raise mq_error(MQRC_OBJECT_IN_USE, verb=VERB, object=self.name)
        row = catalog.register.get(number)
        if row is None or row.image_lsn == 0:
            raise mq_error(
                MQRC_OPERATION_NOT_ALLOWED,
                verb=VERB,
                object=self.name,
                detail="there is no media image of it",
            )
        self._definition = definition
        self._old = queue
        self._damage = damage
        catalog.damaged[number] = UNDER_WAY
        if queue is not None:
            queue.damaged = UNDER_WAY
        image = FoundImage(definition.object_id, row.image_lsn, row.media_lsn, row.image_ns)
        self._pass(RebuildPass(self, kernel, definition, image))
        return True

    def _pass(self, effect: RebuildPass) -> None:
        kernel = effect.kernel
        self._effect = effect
        kernel.outbox.add(effect)

    def passed(self, effect: RebuildPass) -> None:
        """A part of the work is done."""
        kernel = effect.kernel
        definition = effect.definition
        if kernel.catalog.definitions.get(definition.name) is not definition:
            kernel.catalog.dead_folders.append(effect.folder())
            self._error = mq_error(MQRC_UNKNOWN_OBJECT_NAME, verb=VERB, object=self.name)
            return
        if kernel.status != RUNNING and kernel.status != QUIESCING:
            self.fail(effect, kernel.ending_error(VERB))
            return
        old = self._old
        rebuild = effect.rebuild
        self.passes += 1
        if not effect.is_finished or rebuild is None:
            self._pass(effect.next())
        elif old is not None and old.last_lsn > rebuild.position:
            effect.is_there = False  # a unit of work ended meanwhile: go on to where the log is now
            self._pass(effect.next())
        else:
            installation = Installation(kernel, definition, old, rebuild)
            strange = installation.strange()
            if strange:
                self.fail(
                    effect,
                    mq_error(MQRC_OBJECT_DAMAGED, verb=VERB, object=self.name, detail=strange),
                )
                return
            installation.install()
            self._is_installed = True

    def fail(self, effect: RebuildPass, error: MQError) -> None:
        """It cannot be done; things are as they were before."""
        catalog = effect.kernel.catalog
        number = effect.definition.object_id
        self._error = error
        if number in catalog.damaged:
            if self._damage:
                catalog.damaged[number] = self._damage
            else:
                del catalog.damaged[number]
        if self._old is not None:
            self._old.damaged = self._damage

    def _save(self, kernel: Kernel, connection: Connection) -> bool:
        """A checkpoint that began after the change makes it outlive a crash. One that fails does no
        harm: the log still has everything."""
        keeper = kernel.keeper
        mine = self._checkpoint
        if mine is None or keeper.running is mine:
            running = keeper.running
            if running is None:
                running = keeper.begin(False, False)
                self._checkpoint = running
            if keeper.running is running:
                connection.park = running.awaited()
                return False
        return True


@final
class RebuildPass(Effect):
    """A bounded part of recreating a queue."""

    def __init__(
        self, order: Recreation, kernel: Kernel, definition: Definition, image: FoundImage
    ) -> None:
        super().__init__()
        self.order = order
        self.kernel = kernel
        self.definition = definition
        self.image = image
        self.rebuild: Rebuild | None = None
        self.end_lsn = int(kernel.coordinator.log.end_lsn)
        self.after_lsn = self.end_lsn
        self.is_there = False  # up to `end_lsn`
        self.is_finished = False

    def next(self) -> RebuildPass:
        """What comes after this one."""
        effect = RebuildPass(self.order, self.kernel, self.definition, self.image)
        effect.rebuild = self.rebuild
        effect.is_there = self.is_there
        if self.is_there:
            effect.end_lsn = self.end_lsn
        return effect

    def folder(self) -> str:
        """Where the new files are, of no use if this fails."""
        copy = self.definition.folder_number
        self.definition.folder_number = copy + 1
        folder = self.definition.folder
        self.definition.folder_number = copy
        return folder

    def run(self, disk: Disk) -> None:
        rebuild = self.rebuild
        if rebuild is None:
            rebuild = Rebuild(disk, self.kernel.keeper.control, self.definition, self.image)
            self.rebuild = rebuild
        if self.is_there:
            rebuild.finish()
            self.is_finished = True
        else:
            self.is_there = rebuild.advance(self.end_lsn, PASS_BYTES)

    def complete(self) -> None:
        self.order.passed(self)

    def fail(self, error: OSError) -> None:
        self._fail(MQRC_RESOURCE_PROBLEM, str(error))

    def damage(self, text: str) -> None:
        self._fail(MQRC_OBJECT_DAMAGED, text)

    def _fail(self, reason: int, text: str) -> None:
        error = mq_error(reason, verb=VERB, object=self.definition.name, detail=text)
        self.order.fail(self, error)


@final
class Installation:
    """The step in which a recreated queue takes the place of the old one."""

    def __init__(
        self, kernel: Kernel, definition: Definition, old: Queue | None, rebuild: Rebuild
    ) -> None:
        self.kernel = kernel
        self.definition = definition
        self.old = old
        self.rebuild = rebuild
        self.new = rebuild.queue
        self.found = rebuild.open_changes()  # what replay knows of units that have not ended
        self.live: list[tuple[UnitOfWork, Change]] = []  # what those units know of the old queue
        self._find_live()

    def _find_live(self) -> None:
        units = dict(self.kernel.coordinator.units)
        for link in self.kernel.connections.values():
            unit = link.unit
            if unit is not None:
                units[int(unit.unit_id)] = unit
        for unit in units.values():
            for change in unit.changes:
                if change.queue is self.old and change.kind != CHANGE_NONE:
                    self.live.append((unit, change))

    def strange(self) -> str:
        """A change of a unit of work that replay did not find; there should be none."""
        for unit, change in self.live:
            if change.entry.persistent and _key(unit, change) not in self.found:
                return f"message {change.entry.number} of a unit of work is not in the log"
        return ""

    def install(self) -> None:
        """All handles, gets and units of work have the new queue from here on."""
        catalog = self.kernel.catalog
        definition = self.definition
        self._hand_over_units()
        self._hand_over_rest()
        self.rebuild.forget_numbers()
        catalog.dead_folders.append(definition.folder)
        definition.folder_number = self.rebuild.folder_number
        catalog.recovered(definition.object_id)
        catalog.queues[definition.object_id] = self.new
        self.new.waste.remover = catalog.remover
        catalog.settle_stream(definition, self.new)  # a new one begins, as another incarnation
        catalog.version += 1
        self._hand_over_handles()
        if self.kernel.coordinator.has_room(None, OBJECT_RECORD_BYTES):
            self.kernel.coordinator.define(catalog, definition)

    # ---- units of work

    def _hand_over_units(self) -> None:
        """Units of work keep their entries, which are in memory, and get the new homes."""
        for unit, change in self.live:
            change.queue = self.new
            copy = self.found.pop(_key(unit, change), None)
            if copy is not None:
                self._adopt(change.entry, copy.entry)
                continue
            change.entry.segment = None  # not persistent: memory is home enough
            if change.kind == CHANGE_PUT:
                self.new.uncommitted_puts += 1
            else:
                self.new.uncommitted_gets += 1
        for key, change in self.found.items():
            owner = self.kernel.coordinator.units.get(key[0])
            if owner is not None and owner.state != ENDED:
                self._attach(owner, change)
            else:
                self._undo(change)

    def _adopt(self, entry: Entry, copy: Entry) -> None:
        segment = segment_of(copy)
        if entry.home_lsn == 0:
            entry.segment = segment
            entry.ordinal = copy.ordinal
            return
        entry.segment = None  # the log is its home
        if segment is not None:
            segment.mark(copy.ordinal, DEAD)
            if segment.empty:
                self.new.retire(segment)

    def _attach(self, unit: UnitOfWork, change: Change) -> None:
        """Restart had to leave this out of a prepared unit, because the queue was damaged."""
        unit.changes.append(change)
        change.entry.unit_id = unit.unit_id
        unit.reserved += CHANGE_RESERVE
        self.kernel.coordinator.space.reserve(CHANGE_RESERVE)

    def _undo(self, change: Change) -> None:
        """Restart would have backed this out, had the queue not been damaged."""
        entry = change.entry
        entry.unit_id = 0
        if change.kind == CHANGE_PUT:
            self.new.uncommitted_puts -= 1
            self.new.vanish(entry)
        else:
            self.new.uncommitted_gets -= 1
            entry.backout_count += 1
            self.new.restore(entry)

    # ---- the rest

    def _hand_over_rest(self) -> None:
        old = self.old
        new = self.new
        if old is None:
            return
        new.next_number = max(new.next_number, old.next_number)
        new.next_sequence = max(new.next_sequence, old.next_sequence)
        new.numbering.reserved = max(new.numbering.reserved, old.numbering.reserved)
        if old.stream is not None:
            old.stream.notify_all_watchers()
        new.users = old.users
        new.service.returns = old.service.returns + 1
        new.locks = old.locks
        if old.groups is not None and old.groups.locked:
            new.group_index().locked = old.groups.locked
        new.marks = old.marks
        for cursor in old.cursors:
            cursor.leave()  # it stays at its place in the order
            cursor.on_message = False
            cursor.at = None
        new.cursors = list(old.cursors)
        old.dropped = True
        self.kernel.coordinator.forget_all(old)

    def _hand_over_handles(self) -> None:
        local = self.kernel.locals.get(self.definition.name)
        if local is not None and local.queue is self.old:
            local.queue = self.new
            local.refresh()
            serve_all(self.kernel, local)


def _key(unit: UnitOfWork, change: Change) -> tuple[int, int, int]:
    return int(unit.unit_id), int(change.kind), int(change.entry.number)
