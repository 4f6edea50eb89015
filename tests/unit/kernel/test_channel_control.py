"""Goal: what a START, a STOP, an end or time makes of a channel: retries, limits, places.
Method: the machine alone, with definitions, instances and times made by hand.
"""

from __future__ import annotations

from typing import Final

from ternmq.base import object_types as types
from ternmq.base.attributes import defaults_of
from ternmq.channel.agent import NO_RETRY, NORMAL, RETRY, Agent, End
from ternmq.channel.settings import ChannelSettings
from ternmq.kernel.channel_control import (
    FULL,
    HAS_PLACE,
    IN_USE,
    NO_ADDRESS,
    SERVED,
    WAITS,
    ChannelControl,
)
from ternmq.kernel.channel_instance import INACTIVE, RETRYING, STARTING, STOPPED, ChannelInstance
from ternmq.store.catalog import Definition
from ternmq.wire.fap.vocabulary import BATCH_FAILURE, CAN_NOT_STORE, QM_TERMINATING

SECOND: Final = 1_000_000_000
QUEUE: Final = "SYSTEM.CHANNEL.INITQ"


def channel(name: str, kind: int = types.SENDER, **given: object) -> Definition:
    attributes = defaults_of(kind)
    attributes["connection_name"] = "127.0.0.1(1414)"
    attributes.update(given)  # type: ignore[arg-type]
    return Definition(kind, name, 1, attributes, 0)


class Control:
    """The machine, and an initiator that dials what it is told."""

    def __init__(self, initiated: bool = True) -> None:
        self.instances: dict[int, ChannelInstance] = {}
        self.machine = ChannelControl(self.instances)
        if initiated:
            self.machine.initiators[QUEUE] = "RUNNING"
        self.definitions: dict[str, Definition] = {}
        self.dials = 0
        self.now = 0
        self.number = 0

    def define(self, name: str, kind: int = types.SENDER, **given: object) -> Definition:
        made = channel(name, kind, **given)
        self.definitions[name] = made
        return made

    def dial(self) -> list[str]:
        taken = self.machine.to_dial[:]
        self.machine.to_dial.clear()
        for name in taken:
            self.dials += 1
            self.number += 1
            self.instances[self.number] = ChannelInstance(
                self.number, self.definitions[name], "127.0.0.1", 0
            )
            self.machine.begun(name, self.number)
        return taken

    def call(self, name: str) -> int:
        """A partner calls."""
        self.number += 1
        made = ChannelInstance(self.number, self.definitions[name], "127.0.0.1", 0)
        self.instances[self.number] = made
        return self.number

    def end(self, name: str, kind: int, batches: int = 0, code: int = 0, size: int = 50) -> str:
        """An instance ends, by a code of STATUS_DATA; both ends had agreed on a size of batches."""
        (instance,) = [one for one in self.instances.values() if one.name == name]
        del self.instances[instance.number]
        if batches or code:
            instance.agent = Agent(ChannelSettings(name, types.SENDER, "QMA"))
            instance.agent.batches = batches
            instance.agent.batch_messages = size
            instance.agent.end = End(kind, "AMQ9506E", (), code)
        return self.machine.ended(self.definitions.get(name), instance, kind, self.now)

    def status(self, name: str) -> str:
        one = self.machine.channels.get(name)
        return INACTIVE if one is None else one.status

    def counts(self, name: str) -> tuple[int, int]:
        one = self.machine.channels[name]
        return one.short_left, one.long_left

    def after(self, seconds: float) -> None:
        self.now += int(seconds * SECOND)
        self.machine.tick(self.now)

    def kinds(self) -> list[int]:
        taken = [one.kind for one in self.machine.news]
        self.machine.news.clear()
        return taken


def test_start_when_there_is_a_place_then_it_is_dialled_and_not_twice() -> None:
    control = Control()
    one = control.define("ONE")
    assert control.machine.start(one) == ""
    assert control.status("ONE") == STARTING
    assert control.machine.start(one) == IN_USE
    assert control.dial() == ["ONE"]
    assert control.status("ONE") == SERVED
    assert control.machine.start(one) == IN_USE
    assert control.end("ONE", NORMAL) == INACTIVE
    assert not control.machine.channels
    assert control.kinds() == []


def test_server_when_it_has_no_address_then_it_is_not_started() -> None:
    control = Control()
    assert (
        control.machine.start(control.define("S", types.SERVER, connection_name="")) == NO_ADDRESS
    )
    assert control.status("S") == INACTIVE
    assert control.machine.start(control.define("T", types.SERVER)) == ""


def test_failure_when_it_may_heal_then_short_and_long_retries_and_stopped() -> None:
    control = Control()
    one = control.define("ONE", short_retries=3, short_retry_s=1, long_retries=2, long_retry_s=2)
    control.machine.start(one)
    seen: list[tuple[int, int]] = [control.counts("ONE")]
    waits: list[float] = []
    while True:
        control.dial()
        if control.end("ONE", RETRY) == STOPPED:
            break
        seen.append(control.counts("ONE"))
        due = control.machine.channels["ONE"].due_ns
        waits.append((due - control.now) / SECOND)
        control.after(waits[-1] - 0.001)
        assert control.status("ONE") == RETRYING
        control.after(0.001)
        assert control.status("ONE") == STARTING
    assert seen == [(3, 2), (2, 2), (1, 2), (0, 2), (0, 1), (0, 0)]
    assert waits == [1, 1, 1, 2, 2]
    assert control.dials == 6
    # A START by hand tries once, and a start that goes well gives the counts back.
    assert control.machine.start(one) == ""
    control.dial()
    assert control.end("ONE", RETRY) == STOPPED
    control.machine.start(one)
    control.dial()
    assert control.end("ONE", RETRY, batches=1) == RETRYING
    assert control.counts("ONE") == (2, 2)


def test_counts_when_the_channel_runs_without_a_batch_then_they_go_on() -> None:
    control = Control()
    one = control.define("ONE", short_retries=3, short_retry_s=1)
    control.machine.start(one)
    control.dial()
    control.end("ONE", RETRY)
    control.after(1)
    control.dial()
    assert control.end("ONE", RETRY) == RETRYING
    assert control.counts("ONE")[0] == 1
    # START of a retrying channel tries at once, with all counts.
    assert control.machine.start(one) == ""
    assert control.counts("ONE")[0] == 3
    assert control.dial() == ["ONE"]


def test_failure_when_it_cannot_heal_then_stopped() -> None:
    control = Control()
    control.machine.start(control.define("ONE"))
    control.dial()
    assert control.end("ONE", NO_RETRY) == STOPPED


def test_failure_when_no_initiator_runs_then_inactive_and_a_retrying_one_waits() -> None:
    control = Control(initiated=False)
    one = control.define("ONE", short_retry_s=1)
    control.machine.start(one)
    control.dial()
    assert control.end("ONE", RETRY) == INACTIVE
    control.machine.initiators[QUEUE] = "RUNNING"
    control.machine.start(one)
    control.dial()
    assert control.end("ONE", RETRY) == RETRYING
    control.machine.initiators.clear()
    control.after(5)
    assert control.status("ONE") == RETRYING
    control.machine.initiators[QUEUE] = "RUNNING"
    control.after(0)
    assert control.dial() == ["ONE"]


def test_requester_when_it_fails_then_it_is_inactive() -> None:
    control = Control()
    control.machine.start(control.define("R", types.REQUESTER))
    control.dial()
    assert control.end("R", RETRY) == INACTIVE


def test_stop_when_in_each_state_then_stopped_or_inactive() -> None:
    control = Control()
    one = control.define("ONE", short_retry_s=1)
    assert not control.machine.stop(one, INACTIVE)
    assert control.machine.stop(one, STOPPED)
    assert control.status("ONE") == STOPPED
    assert control.machine.stop(one, INACTIVE)
    assert control.status("ONE") == INACTIVE
    assert control.machine.stop(one, STOPPED)
    assert control.machine.stop(one, STOPPED)
    control.machine.start(one)
    assert control.machine.stop(one, STOPPED)
    assert (control.status("ONE"), control.dial()) == (STOPPED, [])
    control.machine.start(one)
    control.dial()
    assert control.machine.stop(one, STOPPED)
    assert control.status("ONE") == SERVED
    assert control.end("ONE", RETRY) == STOPPED
    control.machine.start(one)
    control.dial()
    assert control.machine.stop(one, INACTIVE)
    assert control.end("ONE", NORMAL) == INACTIVE
    control.machine.start(one)
    control.dial()
    control.end("ONE", RETRY)
    assert control.machine.stop(one, STOPPED)
    control.after(9)
    assert control.status("ONE") == STOPPED
    assert control.counts("ONE")[0] == 10


def test_active_when_all_places_are_taken_then_starting_until_one_is_free() -> None:
    control = Control()
    control.machine.active_max = 1
    for name in ("ONE", "TWO", "THREE"):
        assert control.machine.start(control.define(name)) == ""
    assert control.dial() == ["ONE"]
    assert control.kinds() == [WAITS, WAITS]
    assert (control.status("TWO"), control.status("THREE")) == (STARTING, STARTING)
    control.end("ONE", NORMAL)
    assert control.dial() == ["TWO"]
    assert control.kinds() == [HAS_PLACE]
    # One that is stopped while it waits does not take a place later.
    assert control.machine.stop(control.definitions["THREE"], STOPPED)
    control.end("TWO", NORMAL)
    assert control.dial() == []
    assert control.status("THREE") == STOPPED


def test_retry_when_all_places_are_taken_then_it_waits_for_one() -> None:
    control = Control()
    control.machine.active_max = 1
    control.machine.start(control.define("ONE", short_retry_s=1))
    control.dial()
    control.end("ONE", RETRY)
    control.machine.start(control.define("TWO"))
    assert control.dial() == ["TWO"]
    control.after(1)
    assert (control.status("ONE"), control.dial()) == (STARTING, [])
    assert control.kinds() == [WAITS]
    control.end("TWO", NORMAL)
    assert control.dial() == ["ONE"]


def test_requester_when_all_places_are_taken_then_it_does_not_wait() -> None:
    control = Control()
    control.machine.active_max = 1
    control.machine.start(control.define("ONE"))
    assert control.machine.start(control.define("R", types.REQUESTER)) == FULL
    assert control.status("R") == INACTIVE


def test_current_when_all_are_counted_then_stopped_and_retrying_count_inactive_do_not() -> None:
    control = Control()
    control.machine.channels_max = 2
    control.machine.start(control.define("ONE"))
    control.dial()
    control.machine.stop(control.define("TWO"), STOPPED)
    assert control.machine.start(control.define("THREE")) == FULL
    assert control.machine.start(control.definitions["TWO"]) == ""  # it is current already
    control.dial()
    control.end("TWO", NORMAL)
    assert control.machine.start(control.definitions["THREE"]) == ""
    control.dial()
    assert control.end("ONE", RETRY) == RETRYING
    assert control.machine.start(control.define("FOUR")) == FULL
    control.machine.stopped.add("FIVE")
    assert control.machine.current() == 3


def test_called_server_when_it_is_stopped_then_stopped_after_its_end() -> None:
    control = Control()
    one = control.define("S", types.SERVER)
    control.call("S")
    assert control.machine.start(one) == IN_USE
    assert control.machine.stop(one, INACTIVE)
    assert control.machine.stop(one, STOPPED)
    assert control.end("S", NORMAL) == STOPPED
    control.machine.start(one)
    control.dial()
    control.end("S", NORMAL)
    control.call("S")
    assert control.end("S", RETRY) == INACTIVE


def test_receiver_when_stopped_then_stopped_after_the_last_instance() -> None:
    control = Control()
    control.define("R", types.RECEIVER)
    control.call("R")
    control.machine.stopped.add("R")
    assert control.end("R", NORMAL) == STOPPED


def test_channel_when_its_keys_have_changed_then_it_starts_again() -> None:
    control = Control()
    control.machine.start(control.define("ONE"))
    control.dial()
    (instance,) = control.instances.values()
    control.machine.restart(instance)
    assert control.end("ONE", NORMAL) == INACTIVE
    assert control.dial() == ["ONE"]
    assert control.end("ONE", NORMAL) == INACTIVE
    assert control.dial() == []


def test_restart_when_retrying_or_stopped_then_as_before() -> None:
    control = Control()
    one = control.define("ONE", short_retries=5, short_retry_s=3, long_retry_s=9)
    control.machine.restore(one, RETRYING, 2, 999_999_999, 0)
    control.machine.restore(control.define("TWO"), STOPPED, -1, -1, 0)
    control.machine.restore(control.define("END"), STOPPED, 0, 0, 0)
    control.machine.restore(control.define("R", types.RECEIVER), STOPPED, -1, -1, 0)
    assert control.counts("ONE") == (2, 999_999_999)
    assert control.machine.tick(0) == 3 * SECOND
    control.after(3)
    assert control.dial() == ["ONE"]
    assert control.counts("TWO") == (10, 999_999_999)
    assert control.machine.channels["END"].is_used_up
    assert control.machine.stopped == {"R"}
    control.machine.forget("TWO")
    assert control.status("TWO") == INACTIVE


def test_batch_when_the_partner_cannot_store_it_then_the_next_attempt_has_half_of_it() -> None:
    control = Control()
    control.machine.start(control.define("A", short_retry_s=0))
    found = []
    for code, size in ((CAN_NOT_STORE, 50), (BATCH_FAILURE, 25), (CAN_NOT_STORE, 1)):
        control.dial()
        control.end("A", RETRY, code=code, size=size)
        found.append(control.machine.channels["A"].batch_max)
        control.after(0)
    assert found == [25, 12, 1]


def test_batch_when_another_was_confirmed_then_the_next_attempt_has_all_of_it() -> None:
    control = Control()
    control.machine.start(control.define("A", short_retry_s=0))
    for code, batches, expected in (
        (CAN_NOT_STORE, 0, 25),
        (QM_TERMINATING, 0, 25),
        (QM_TERMINATING, 1, 0),
        (CAN_NOT_STORE, 1, 25),  # the last one was refused all the same
    ):
        control.dial()
        control.end("A", RETRY, batches, code)
        assert control.machine.channels["A"].batch_max == expected
        control.after(0)
