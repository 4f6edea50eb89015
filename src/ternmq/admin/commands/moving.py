"""MOVE QLOCAL: all messages of one queue go to another, in units of work of the command's own.

A step takes a bounded number of messages off the one queue, puts them on the other and commits: a
crash leaves each message on exactly one of the two. Both queues are held from the first step to the
last, so that no other opens them. What prevents a message from being moved ends the command; those
before it stay where they are then.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.admin.command_table import CommandRow
from ternmq.admin.commands.objects import check_not_kept, find, is_open
from ternmq.admin.execution import Execution
from ternmq.base import object_types as types
from ternmq.base.command_reasons import MQRCCF_PARM_CONFLICT, MQRCCF_Q_ATTR_CONFLICT
from ternmq.base.errors import MQError, mq_error
from ternmq.base.reasons import (
    MQRC_MSG_TOO_BIG_FOR_Q,
    MQRC_OBJECT_DAMAGED,
    MQRC_OBJECT_IN_USE,
    MQRC_PERSISTENT_NOT_ALLOWED,
    MQRC_Q_FULL,
    MQRC_Q_NOT_EMPTY,
    MQRC_RESOURCE_PROBLEM,
)
from ternmq.kernel.acceptance import must_wait
from ternmq.kernel.connection import Connection as Link
from ternmq.kernel.connection import Handle
from ternmq.kernel.ending import commit_unit
from ternmq.kernel.events import PERFORMANCE
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.objects import LocalQueue
from ternmq.kernel.requests import GetCall
from ternmq.kernel.resolve import close_handle, hold
from ternmq.kernel.search import Search
from ternmq.store.catalog import Definition
from ternmq.store.fetching import fetch_ahead
from ternmq.txn.reserves import PUT_RECORD_OVERHEAD
from ternmq.txn.unit import UnitOfWork
from ternmq.values.command import Command
from ternmq.values.entry import Entry
from ternmq.values.get_request import GetRequest

STEP_MESSAGES: Final = 64
STEP_BYTES: Final = 1 << 20


def _must_be_same(definition: Definition) -> dict[str, int]:
    """As IBM MQ has it: how the queue came to be, its backout counts, its use."""
    return {
        "DEFTYPE": definition.definition_type,
        "HARDENBO": definition.number("harden_backout"),
        "USAGE": definition.number("usage"),
    }


@final
class MoveMessages(Execution):
    """MOVE QLOCAL TYPE(MOVE|ADD) TOQLOCAL."""

    def __init__(self, command: Command, row: CommandRow) -> None:
        super().__init__(command, row)
        self._handles: list[Handle] = []
        self._mover = Link(0, bytes(24), "", "MOVE QLOCAL")  # whose gets they are
        self._call: GetCall | None = None
        self._moved = 0

    def step(self, kernel: Kernel, link: Link) -> bool:
        try:
            done = self._step(kernel, link)
        except MQError as error:
            self._let_go(kernel)
            if self._moved and not error.detail:
                error.detail = f"{self._moved} messages were moved before"
            raise
        if done:
            self._let_go(kernel)
            return self.succeed(self.command.name, self._moved)
        return False

    def _step(self, kernel: Kernel, link: Link) -> bool:
        if not self._handles and not self._begin(kernel, link):
            return False
        source, target = [one.local for one in self._handles]
        if source is None or target is None:
            raise self._refused(MQRC_OBJECT_IN_USE, self.command.name)
        return self._move_some(kernel, link, source, target)

    def _let_go(self, kernel: Kernel) -> None:
        call = self._call
        source = self._handles[0].local if self._handles else None
        if call is not None and call.walk is not None and source is not None:
            call.walk.leave()
            source.queue.cursors.remove(call.walk)
            call.walk = None
        for handle in self._handles:
            close_handle(kernel, handle, 0)
        self._handles = []

    # ---- what must be so before the first message is moved

    def _begin(self, kernel: Kernel, link: Link) -> bool:
        """Check and hold both queues; False: parked until they are loaded."""
        names = (self.command.name, self.command.given["TOQLOCAL"])
        if names[0] == names[1]:
            detail = "it cannot be moved to itself"
            raise self._refused(MQRCCF_PARM_CONFLICT, names[0], detail)
        found: list[LocalQueue] = []
        for name in names:
            definition = find(kernel, types.LOCAL, name, self.verb)
            local = kernel.local_queue(link, definition)
            if local is None:
                return False
            found.append(local)
        for local in found:
            self._check_free(kernel, local)
        source, target = found
        wanted = _must_be_same(source.definition)
        for keyword, value in _must_be_same(target.definition).items():
            if value != wanted[keyword]:
                detail = f"{keyword} of {target.name} is not the same"
                raise self._refused(MQRCCF_Q_ATTR_CONFLICT, self.command.name, detail)
        self._check_depth(source, target)
        link.depends_on(source.queue.last_lsn)
        link.depends_on(target.queue.last_lsn)
        self._handles.append(hold(kernel, link, source))
        self._handles.append(hold(kernel, link, target))
        return True

    def _refused(self, reason: int, name: str, detail: str = "") -> MQError:
        return mq_error(reason, verb=self.verb, object=name, detail=detail)

    def _check_free(self, kernel: Kernel, local: LocalQueue) -> None:
        queue = local.queue
        if queue.damaged:
            raise self._refused(MQRC_OBJECT_DAMAGED, local.name, queue.damaged)
        if local.in_use or queue.clearing_before or is_open(kernel, local.definition):
            raise self._refused(MQRC_OBJECT_IN_USE, local.name)
        if queue.uncommitted_puts or queue.uncommitted_gets:
            raise self._refused(MQRC_OBJECT_IN_USE, local.name, "it has uncommitted messages")
        check_not_kept(kernel, local, self.verb)

    def _check_depth(self, source: LocalQueue, target: LocalQueue) -> None:
        depth = int(target.queue.depth)
        if depth and self.command.given.get("TYPE", "MOVE") == "MOVE":
            detail = f"it has {depth} messages; TYPE(ADD) adds to them"
            raise self._refused(MQRC_Q_NOT_EMPTY, target.name, detail)
        if depth + int(source.queue.depth) > target.max_depth:
            detail = f"{depth} and {int(source.queue.depth)} messages, MAXDEPTH({target.max_depth})"
            raise self._refused(MQRC_Q_FULL, target.name, detail)

    # ---- the messages

    def _move_some(
        self, kernel: Kernel, link: Link, source: LocalQueue, target: LocalQueue
    ) -> bool:
        """One unit of work; True when the queue is empty."""
        unit = kernel.coordinator.begin()
        done = False
        taken = 0
        try:
            for _ in range(STEP_MESSAGES):
                entry = self._next(kernel, source)
                if entry is None:
                    self._take_over(link)
                    done = link.park is None and not link.again
                    break
                if not self._fits(kernel, link, target, unit, entry):
                    break
                self._move(kernel, source, target, unit, entry)
                taken += int(entry.length) + len(entry.properties)
                if taken >= STEP_BYTES:
                    break
        finally:
            # What is in the unit is whole, also when the next message cannot be moved.
            if unit.changes:
                commit_unit(kernel, link, unit)
        if not done and link.park is None:
            link.again = True
        return done

    def _next(self, kernel: Kernel, source: LocalQueue) -> Entry | None:
        queue = source.queue
        if queue.unread:
            text = queue.unread
            queue.unread = ""
            raise self._refused(MQRC_RESOURCE_PROBLEM, source.name, text)
        call = self._call
        if call is None:
            handle = Handle(self._mover, 0, 0)
            call = GetCall(self._mover, handle, GetRequest(0))
            self._call = call
        self._mover.begin_verb()
        return Search(kernel, call, queue, kernel.clock.now_ns()).find()

    def _take_over(self, link: Link) -> None:
        """What the search waits for, the command waits for."""
        link.park = self._mover.park
        link.again = self._mover.again

    def _fits(
        self, kernel: Kernel, link: Link, target: LocalQueue, unit: UnitOfWork, entry: Entry
    ) -> bool:
        """Whether the other queue takes the message; False: parked until it does."""
        if entry.length > target.max_length:
            detail = f"{entry.length} bytes, MAXMSGL({target.max_length})"
            raise self._refused(MQRC_MSG_TOO_BIG_FOR_Q, target.name, detail)
        if entry.persistent and target.temporary:
            raise self._refused(MQRC_PERSISTENT_NOT_ALLOWED, target.name)
        length = entry.length + len(entry.properties) + PUT_RECORD_OVERHEAD  # and that of the get
        if must_wait(kernel, link, target, unit, length, 1 if entry.persistent else 0):
            return False
        link.log_tries = 0
        return True

    def _move(
        self,
        kernel: Kernel,
        source: LocalQueue,
        target: LocalQueue,
        unit: UnitOfWork,
        entry: Entry,
    ) -> None:
        queue = source.queue
        copy = Entry(
            0,
            entry.priority,
            entry.flags,
            entry.put_ns,
            entry.expiry_at,
            entry.msg_id,
            entry.correl_id,
            entry.group_id,
            entry.base,
            entry.data,
            entry.length,
            entry.properties,
        )
        if queue.fetched:
            queue.forget_fetched(entry)
        kernel.coordinator.get(unit, queue, entry)
        kernel.coordinator.put(unit, target.queue, copy)
        now_ns = kernel.clock.now_ns()
        if source.watched:
            source.watch.got(now_ns, entry.put_ns)
        if target.watched:
            target.watch.last_put_ns = now_ns
        if kernel.events & PERFORMANCE:
            kernel.event_sink.was_got(source)
            kernel.event_sink.was_put(target)
        if target.triggered:
            kernel.triggers.was_put(target, copy, unit, None)
        if queue.swept_alive:
            fetch_ahead(queue, entry, kernel.outbox)
        self._moved += 1
