"""The workload of `workload` with streaming queues: A must have a copy of each message on C, and B
has one there if C takes it.

C is small, so that copies are refused now and then; it is read, cleared and deleted like the
others. B reaches it by an alias. The model knows both messages of a put, so a restart that finds a
message without its copy, or a copy without its message, disagrees with it.
"""

from __future__ import annotations

from typing import Final

from ternmq.api import definitions
from ternmq.base.errors import MQError
from ternmq.base.object_types import ALIAS
from ternmq.base.reasons import MQRC_Q_FULL
from ternmq.kernel.connection import Connection
from ternmq.log.parameters import LogParameters
from ternmq.testing.model import Disagreement, ModelMessage
from ternmq.testing.sim_clock import SimClock
from ternmq.testing.workload import Workload

COPIES_MAX: Final = 9  # MAXDEPTH of C
_STREAMING: Final[dict[str, dict[str, object]]] = {
    "A": {"stream_queue": "C", "stream_quality": "MUSTDUP"},
    "B": {"stream_queue": "TO.C"},
    "C": {"max_depth": COPIES_MAX},
}


class StreamedWorkload(Workload):
    """Random verbs on two queues that stream to a third."""

    def __init__(
        self, seed: int, parameters: LogParameters, *, lazy: bool = False, fast: bool = True
    ) -> None:
        self.copies_refused = 0
        self.copies_made = 0
        super().__init__(seed, parameters, lazy=lazy, fast=fast)
        self.define("C")
        machine = self.machine
        call = definitions.define(ALIAS, "TO.C", {"target": "C"}, False)
        machine.drive(machine.verbs.run(machine.link, call))
        self.begun = len(self.disk.history)

    def define(self, name: str) -> None:
        self.change = lambda: self.model.define(name)
        self.machine.define(name, self.buffer_bytes, **_STREAMING[name])

    def _is_full(self) -> bool:
        """Whether C has as many as it may; what is got in a unit of work does not count."""
        units = [*self.units.values(), *self.model.prepared.values()]
        coming = sum(message.queue == "C" for unit in units for message in unit.puts)
        return len(self.model.available("C")) + coming >= COPIES_MAX

    def _copy(self, message: ModelMessage) -> ModelMessage:
        copy = ModelMessage(message.name, "C", message.priority, message.persistent)
        self.copies_made += 1
        return copy

    def put(self, link: Connection, sync: bool, persistent: bool = True) -> None:
        message, data = self.message(self.chance.choice("AAB"), persistent)
        full = self._is_full()
        copy = None if full else self._copy(message)

        def change() -> None:
            for one in (message, copy):
                if one is None:
                    continue
                if sync:
                    self.unit(link).puts.append(one)
                else:
                    self.model.reveal(one)

        self.change = change
        try:
            entry = self.machine.put(
                message.queue,
                data,
                link=link,
                persistent=persistent,
                priority=message.priority,
                sync=sync,
            )
        except MQError as error:
            if error.reason != MQRC_Q_FULL:
                raise
            if not full or message.queue != "A":
                raise Disagreement(f"{message.queue} refuses for its copy: {error}") from error
            self.change = None
            self.copies_refused += 1
            return
        if full and message.queue == "A":
            raise Disagreement("A takes a message that C has no room for")
        self.copies_refused += full
        message.msg_id = entry.msg_id
        if copy is not None:
            copy.msg_id = entry.msg_id

    def get(self, link: Connection, sync: bool, chosen: ModelMessage | None = None) -> None:
        copies = self.model.available("C")
        if chosen is None and copies and self.chance.random() < 0.55:
            chosen = copies[0] if self.chance.random() < 0.7 else self.chance.choice(copies)
        super().get(link, sync, chosen)

    def one(self, link: Connection, kind: float) -> None:
        copies = self.model.available("C")
        if copies and self.chance.random() < 0.25:
            self.get(self.links[2], False, copies[0])
        else:
            super().one(link, kind)

    def hand_over(self) -> None:
        """The message goes to a getter that waits, its copy is on C."""
        if self.model.available("A") or self._is_full():
            return
        call = self.machine.get_call("A", self.links[2], sync=False, wait_ms=1000)
        message, data = self.message("A", True)
        copy = self._copy(message)

        def change() -> None:
            """Both are put by one record, and the getter has its own: a crash may come between."""
            self.model.reveal(message)
            self.model.reveal(copy)
            self.snapshots.append(self.model.snapshot())
            self.model.remove(message)

        self.change = change
        try:
            entry = self.machine.put("A", data, priority=copy.priority)
        finally:
            self.machine.end_get(call)
        copy.msg_id = entry.msg_id
        if call.entry is None:
            raise Disagreement("a waiting getter did not get what was put")

    def expire(self) -> None:
        """A message that does not live long; its copy does."""
        if self._is_full():
            return
        message, data = self.message(self.chance.choice("AB"), True)
        copy = self._copy(message)
        self.change = lambda: self.model.reveal(copy)
        machine = self.machine
        copy.msg_id = machine.put(message.queue, data, priority=copy.priority, expiry=1).msg_id
        if isinstance(machine.clock, SimClock):
            machine.clock.advance(1)
        machine.engine.begin_expiry_scan()
        while machine.engine.scan_expired(1):
            pass
        machine.settle()
        machine.force(machine.engine.log.end_lsn)

    def clear_or_delete(self) -> None:
        queue = self.chance.choice("BC")
        if self.is_used(queue):
            return
        if self.chance.random() < 0.5:
            self.clear(queue)
        else:
            self.delete(queue)
