"""Goal: streams and cursors do what the model says, whatever is done in which order, restarts
included.

Method: a Hypothesis state machine drives a queue manager on a simulated disk and a list of numbers
and bodies beside it. A crash takes everything that was not forced; then non-persistent messages may
be missing, and everything else is as it was. TERNMQ_MODEL_EXAMPLES makes it a long search.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from ternmq.base.errors import MQError
from ternmq.base.reasons import MQRC_MSG_SEQ_NUMBER_ERROR
from ternmq.kernel.cursors import EARLIEST, LATEST, cursors
from ternmq.log.parameters import CIRCULAR, LogParameters
from ternmq.testing.machine import Machine, create
from ternmq.testing.sim_disk import SimDisk
from ternmq.testing.stream_verbs import StreamClient, messages_of
from ternmq.testing.stream_workload import stream_of
from ternmq.testing.wreck import FATES, last_of

pytestmark = [pytest.mark.core, pytest.mark.promise("P1"), pytest.mark.promise("P2")]

NAMES = st.sampled_from(["C1", "C2", "C3"])
SIZES = st.sampled_from([0, 1, 300, 2000])
UNITS = st.lists(st.tuples(SIZES, st.booleans()), min_size=1, max_size=4)
EXAMPLES = int(os.environ.get("TERNMQ_MODEL_EXAMPLES", "0"))
SEED = int(os.environ.get("TERNMQ_MODEL_SEED", "0"))


class Streams(RuleBasedStateMachine):
    """One queue, its stream, up to three cursors."""

    def __init__(self) -> None:
        super().__init__()
        disk = SimDisk()
        create(disk, LogParameters(CIRCULAR, 3, 2, 16, False))
        self.start(disk)
        self.messages: dict[int, tuple[bytes, bool]] = {}  # by number: data, persistent
        self.lying: dict[int, tuple[bytes, bool]] = {}  # what a get could take, but for retention
        self.positions: dict[str, int] = {}
        self.highest = 0  # number that a reader was told
        self.count = 0

    def start(self, disk: SimDisk) -> None:
        self.machine = Machine(disk)
        self.client = StreamClient(self.machine)
        self.machine.kernel.catalog.stream_memory.stream_bytes_max = 4_000

    @initialize(retain=st.booleans())
    def define_queue(self, retain: bool) -> None:
        self.machine.define("Q", 20_000, retain=int(retain))
        self.retains = retain

    def body(self, size: int) -> bytes:
        self.count += 1
        return b"%d " % self.count + bytes(size)

    def came(self, number: int, data: bytes, persistent: bool) -> None:
        self.lying[number] = (data, persistent)
        if self.retains or self.positions:  # else it has no stream, and nobody is told numbers
            assert number > self.highest
            assert number not in self.messages
            self.messages[number] = (data, persistent)

    def logged(self, found: list[tuple[int, bytes]]) -> list[tuple[int, bytes]]:
        for number, _ in found:
            self.highest = max(self.highest, number)
        return found

    @rule(size=SIZES, persistent=st.booleans())
    def put(self, size: int, persistent: bool) -> None:
        data = self.body(size)
        entry = self.machine.put("Q", data, persistent=persistent)
        self.came(int(entry.sequence), data, persistent)

    @rule(
        sizes=st.lists(st.tuples(SIZES, st.booleans()), min_size=1, max_size=4), ends=st.booleans()
    )
    def unit(self, sizes: list[tuple[int, bool]], ends: bool) -> None:
        link = self.machine.connect()
        put = []
        for size, persistent in sizes:
            data = self.body(size)
            entry = self.machine.put("Q", data, link=link, sync=True, persistent=persistent)
            put.append((entry, data, persistent))
        if not ends:
            self.machine.back_out(link)
            return
        self.machine.commit(link)
        for entry, data, persistent in put:
            self.came(int(entry.sequence), data, persistent)

    @rule(count=st.integers(1, 5))
    def get(self, count: int) -> None:
        for _ in range(count):
            entry = self.machine.get("Q")
            if entry is not None:
                del self.lying[int(entry.sequence)]

    @rule()
    def clear(self) -> None:
        self.machine.clear("Q")
        self.lying = {}

    @rule(name=NAMES, latest=st.booleans())
    def define(self, name: str, latest: bool) -> None:
        if name in self.positions:
            return
        if self.retains and not latest:
            # What retention has left on the queue of messages that all have passed, nobody knows.
            self.client.bounds("Q")
            stream = stream_of(self.machine, "Q")
            latest = stream is not None and stream.begin != stream.earliest
        below = self.fills_below()
        cursor = self.client.define(name, "Q", LATEST if latest else EARLIEST)
        if not self.positions and not self.retains:
            self.messages = {}
        if latest:
            assert cursor.position > self.highest  # also of a stream that it had before
        else:
            filled = {number: one for number, one in self.lying.items() if number < below}
            assert not filled or cursor.position <= min(filled)
            self.messages = {
                **filled,
                **{number: one for number, one in self.messages.items() if number >= below},
            }
        self.positions[name] = cursor.position

    def fills_below(self) -> int:
        """A cursor that starts with the earliest message brings what lies there below this number
        into the stream."""
        if self.retains:
            return 0
        if not self.positions:
            return 1 << 62
        self.client.bounds("Q")
        stream = stream_of(self.machine, "Q")
        assert stream is not None
        return int(stream.earliest)

    @rule(name=NAMES, part=st.floats(0, 1))
    def advance(self, name: str, part: float) -> None:
        if name not in self.positions:
            return
        wanted = int(self.client.bounds("Q").next * part)
        before = self.positions[name]
        self.positions[name] = self.client.advance(name, wanted)
        assert self.positions[name] == max(before, wanted)

    @rule(name=NAMES)
    def reset(self, name: str) -> None:
        if name in self.positions:
            self.positions[name] = self.client.reset(name, EARLIEST)

    @rule(name=NAMES)
    def delete(self, name: str) -> None:
        if name in self.positions:
            self.client.delete(name)
            del self.positions[name]
            if not self.positions and not self.retains:
                self.messages = {}

    @rule()
    def seal(self) -> None:
        stream = stream_of(self.machine, "Q")
        if stream is not None:
            stream.seal()
            self.machine.settle()

    @rule(full=st.booleans(), unload=st.booleans())
    def checkpoint(self, full: bool, unload: bool) -> None:
        if unload:
            self.machine.close_handles()
            self.machine.checkpoint()
        self.machine.checkpoint(full=full)

    @rule(tidy=st.booleans())
    def restart(self, tidy: bool) -> None:
        if tidy:
            self.machine.close_handles()
            self.machine.checkpoint(clean=True)
        disk = self.machine.disk
        assert isinstance(disk, SimDisk)
        wreck = last_of(disk)
        fate = FATES["kept" if tidy else "dropped"]
        self.start(wreck.disk_of([fate] * len(wreck.pending)))
        self.lying = {number: one for number, one in self.lying.items() if one[1]}
        found = {one.name: one.position for one in cursors(self.machine.kernel)}
        assert found == self.positions
        if self.messages:
            there = {number for number, _ in self.all_of()}
            for number, (_, persistent) in list(self.messages.items()):
                if not persistent and number not in there:
                    del self.messages[number]

    def all_of(self) -> list[tuple[int, bytes]]:
        return self.logged(self.client.read_all("Q", self.client.bounds("Q").earliest))

    @precondition(lambda self: bool(self.positions) or self.retains)
    @rule(part=st.floats(0, 1), size=st.sampled_from([1, 1500, 1 << 20]), count=st.integers(0, 3))
    def read(self, part: float, size: int, count: int) -> None:
        """Any range, from wherever the stream still has."""
        bounds = self.client.bounds("Q")
        last = max(self.messages, default=0)
        first = bounds.earliest + int((last + 1 - bounds.earliest) * part)
        first = min(max(first, bounds.earliest), bounds.next)
        call = self.client.read("Q", first, bytes_max=size, messages_max=count)
        expected = [
            (number, data) for number, (data, _) in sorted(self.messages.items()) if number >= first
        ]
        found = self.logged(messages_of(call))
        assert found == expected[: len(found)]
        assert bool(found) == bool(expected)
        if count:
            assert len(found) <= count
        if bounds.earliest > 1:
            with pytest.raises(MQError) as below:
                self.client.read("Q", bounds.earliest - 1)
            assert below.value.reason == MQRC_MSG_SEQ_NUMBER_ERROR

    @invariant()
    def nothing_is_skipped(self) -> None:
        if not self.positions:
            return
        earliest = self.client.bounds("Q").earliest
        lowest = min(self.positions.values())
        assert earliest <= lowest
        found = self.logged(self.client.read_all("Q", lowest))
        assert found == [
            (number, data)
            for number, (data, _) in sorted(self.messages.items())
            if number >= lowest
        ]


@pytest.mark.timeout(600 if EXAMPLES else 20)
def test_streams_when_worked_on_then_as_the_model_says() -> None:
    chosen = settings(
        max_examples=EXAMPLES or 12,
        stateful_step_count=30,
        phases=(Phase.explicit, Phase.generate, *([Phase.shrink] if EXAMPLES else [])),
        database=None,
        deadline=None,
        print_blob=False,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(seed(SEED)(Streams), settings=chosen)
