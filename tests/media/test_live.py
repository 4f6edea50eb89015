"""Goal (P7): a queue is re-created while units of work hold messages of it, end, or go on, and
while others work; images are taken in the middle of everything. Nothing is lost, twice there, or
out of order.

Method: workloads whose gets compare with the model; files of a queue are lost now and then, and
verbs come between the passes of its recovery; at the end a restart must find what the model has.
"""

from __future__ import annotations

import pytest

from ternmq.base.errors import MQError
from ternmq.base.reasons import (
    MQRC_BACKED_OUT,
    MQRC_OBJECT_IN_USE,
    MQRC_RESOURCE_PROBLEM,
    MQRC_UNKNOWN_OBJECT_NAME,
)
from ternmq.kernel.recreate import Recreation
from ternmq.testing.machine import Machine
from ternmq.testing.model import found_state
from tests.media.bench import DUAL, SINGLE, MediaWorkload, files_of, is_damaged

pytestmark = [pytest.mark.core, pytest.mark.promise("P7")]


class LosingWorkload(MediaWorkload):
    """Now and then a queue loses its files and is re-created."""

    recreated = 0
    passes = 0
    units_ended = 0  # between the passes

    def rare(self) -> None:
        if self.chance.random() < 0.3:
            self.lose(self.chance.choice("AB"))
        else:
            super().rare()

    def lose(self, name: str) -> None:
        kernel = self.machine.kernel
        number = kernel.catalog.definitions[name].object_id
        for path in files_of(self.disk, name):
            self.disk.unlink(path)
        queue = kernel.catalog.queues.get(number)
        if queue is not None:
            queue.damaged = "a test has removed its files"
        else:
            kernel.catalog.damaged[number] = "a test has removed its files"
        self.recreate(name)

    def forget_plain(self, name: str) -> None:
        """The new queue is in place: non-persistent messages that nobody held are gone."""
        for message in list(self.model.queues[name]):
            if not message.persistent and not message.held:
                self.model.remove(message)

    def recreate(self, name: str) -> None:
        """Verbs of others come between what the disk and what the engine does of an effect."""
        order = Recreation(name)
        machine = self.machine
        link = machine.connect()
        is_new = False
        while not order.attempt(machine.kernel, link):
            effect = link.park
            if effect is None or effect.done:
                continue
            if not effect.claimed:
                machine.run(effect)
            if self.chance.random() < 0.5:
                self.end_a_unit(name)
            if not effect.done:
                machine.finish(effect)
            if not is_new and not machine.kernel.catalog.damaged:
                is_new = True
                self.forget_plain(name)
        machine.force(int(link.durable_at))
        self.recreated += 1
        self.passes += order.passes

    def end_a_unit(self, name: str) -> None:
        """Somebody else's verb; puts and gets would be refused, but units of work end."""
        link = self.chance.choice(self.links[:2])
        self.link = link
        kind = self.chance.random()
        try:
            if self.machine.kernel.catalog.damaged:  # not any more once the new queue is in place
                with pytest.raises(MQError, match="2101"):
                    self.machine.put(name, b"refused ", link=self.links[2])
            if kind < 0.4:
                self.commit(link)
            elif kind < 0.6:
                self.back_out(link)
            elif kind < 0.8:
                self.prepare(link)
            else:
                self.decide()
            self.units_ended += 1
        except MQError as error:
            if error.reason not in (MQRC_RESOURCE_PROBLEM, MQRC_BACKED_OUT):
                raise


@pytest.mark.parametrize("dual", [False, True])
@pytest.mark.parametrize("lazy", [False, True])
def test_queue_re_created_in_the_middle_of_work_then_all_goes_on(lazy: bool, dual: bool) -> None:
    recreated = passes = ended = 0
    for seed in range(12):
        run = LosingWorkload(seed, DUAL if dual else SINGLE, lazy=lazy)
        run.go(150)
        run.machine.settle()
        found = found_state(Machine(run.disk.settled()))
        assert found == run.snapshots[-1].state, f"seed {seed}"
        recreated += run.recreated
        passes += run.passes
        ended += run.units_ended
    assert recreated > 15
    assert passes > 2 * recreated
    assert ended > 15


def test_two_orders_for_one_queue_then_the_second_is_refused() -> None:
    run = MediaWorkload(0)
    run.go(40)
    machine = run.machine
    machine.close_handles()
    link = machine.connect()
    first = Recreation("A")
    assert not first.attempt(machine.kernel, link)
    with pytest.raises(MQError) as refused:
        Recreation("A").attempt(machine.kernel, machine.connect())
    assert refused.value.reason == MQRC_OBJECT_IN_USE
    assert is_damaged(machine, "A")
    while not first.attempt(machine.kernel, link):
        machine.settle()
    assert not is_damaged(machine, "A")


def test_sound_queue_that_somebody_has_open_then_it_is_in_use() -> None:
    run = MediaWorkload(0)
    run.machine.put("A", b"x ")
    with pytest.raises(MQError) as refused:
        Recreation("A").attempt(run.machine.kernel, run.machine.connect())
    assert refused.value.reason == MQRC_OBJECT_IN_USE


def test_queue_deleted_while_it_is_re_created_then_the_order_fails_and_nothing_is_left() -> None:
    run = MediaWorkload(0)
    run.machine.put("A", b"x ")
    run.machine.checkpoint(full=True)
    run.machine.close_handles()
    machine = run.machine
    machine.workload = None
    link = machine.connect()
    order = Recreation("A")
    assert not order.attempt(machine.kernel, link)
    machine.delete("A")
    machine.settle()
    with pytest.raises(MQError) as gone:
        order.attempt(machine.kernel, link)
    assert gone.value.reason == MQRC_UNKNOWN_OBJECT_NAME
    machine.checkpoint()
    machine.checkpoint()
    assert files_of(run.disk, "A") == []
