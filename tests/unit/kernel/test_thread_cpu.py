"""Goal: the CPU time of a verb is what its thread used for it: not what the thread did for others,
nor the time it had no processor; and the thread's clock is not read for each verb.

Method: verbs by hand, under a clock that moves as the test says.
"""

from __future__ import annotations

import pytest

from ternmq.base.accounts import VerbTime
from ternmq.kernel.thread_cpu import LOOK_EVERY_NS, ThreadCPU
from ternmq.kernel.verb_clock import FORCE, VerbClock
from ternmq.ports.clock import Clock

pytestmark = pytest.mark.core

US = 1000
MS = 1_000_000


class ByHand(Clock):
    """Time passes with work or without; looks at the thread's clock are counted."""

    def __init__(self) -> None:
        self.passed_ns = MS
        self.worked_ns = MS
        self.looks = 0

    def works(self, ns: int) -> None:
        self.passed_ns += ns
        self.worked_ns += ns

    def sleeps(self, ns: int) -> None:
        self.passed_ns += ns

    def cpu_ns(self) -> int:
        self.looks += 1
        return self.worked_ns


class Thread:
    """A thread that serves verbs."""

    def __init__(self) -> None:
        self.clock = ByHand()
        self.cpu = ThreadCPU(self.clock)

    def begin(self) -> tuple[VerbClock, VerbTime]:
        verb = VerbClock()
        verb.begin(self.clock.passed_ns, self.cpu)
        return verb, VerbTime()

    def serve(self, work_ns: int, asleep_ns: int = 0) -> VerbTime:
        verb, time = self.begin()
        self.clock.works(work_ns)
        self.clock.sleeps(asleep_ns)
        verb.end(self.clock.passed_ns, time)
        return time


def test_verb_when_the_thread_did_other_things_before_and_after_then_it_has_its_own() -> None:
    thread = Thread()
    first = thread.serve(27 * US)
    thread.clock.works(190 * MS)
    second = thread.serve(127 * US)
    thread.clock.works(30 * US)
    third = thread.serve(5 * US)
    thread.clock.sleeps(900 * MS)
    fourth = thread.serve(5 * US)
    assert [one.cpu_ns for one in (first, second, third, fourth)] == [
        27 * US,
        127 * US,
        5 * US,
        5 * US,
    ]


def test_verb_when_its_thread_had_no_processor_then_that_is_not_its_work() -> None:
    thread = Thread()
    time = thread.serve(20 * US, asleep_ns=10 * MS)
    assert (time.cpu_ns, time.elapsed_ns) == (20 * US, 10 * MS + 20 * US)


def test_verb_when_it_waits_then_what_the_thread_does_meanwhile_is_not_its_work() -> None:
    thread = Thread()
    clock = thread.clock
    verb, time = thread.begin()
    clock.works(15 * US)
    verb.wait(FORCE, clock.passed_ns)
    others = [thread.serve(40 * US) for _ in range(5)]
    clock.sleeps(3 * MS)
    verb.go_on(clock.passed_ns)
    clock.works(4 * US)
    verb.end(clock.passed_ns, time)
    assert time.cpu_ns == 19 * US
    assert [one.cpu_ns for one in others] == [40 * US] * 5
    assert time.force_wait_ns == 3 * MS + 200 * US


def test_verbs_when_one_follows_another_then_the_clock_is_read_seldom() -> None:
    thread = Thread()
    times = [thread.serve(3 * US) for _ in range(10_000)]
    assert sum(one.cpu_ns for one in times) == 30 * MS
    assert thread.clock.looks <= 30 * MS // LOOK_EVERY_NS + 1


def test_verbs_when_short_ones_are_interrupted_then_their_sum_is_right_but_for_one_look() -> None:
    thread = Thread()
    times = [thread.serve(10 * US, asleep_ns=10 * US) for _ in range(1000)]
    total_ns = sum(int(one.cpu_ns) for one in times)
    assert abs(total_ns - 10 * MS) <= LOOK_EVERY_NS
    assert all(0 <= one.cpu_ns <= one.elapsed_ns for one in times)


def test_verbs_when_the_clock_does_not_report_cpu_time_then_they_have_none() -> None:
    thread = Thread()
    thread.clock.worked_ns = 0
    verb, time = thread.begin()
    thread.clock.sleeps(5 * US)
    verb.end(thread.clock.passed_ns, time)
    assert (time.cpu_ns, time.elapsed_ns) == (0, 5 * US)
