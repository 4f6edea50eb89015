"""Goal: a deadline is kept, whatever other jobs do when theirs comes.

Method: jobs of a queue manager's loop that note when they were called.
"""

import pytest

from ternmq.host.jobs import Job, Turns
from tests.unit.network.partner import Partner, Place, run_story

pytestmark = pytest.mark.core

SOON_NS = 10_000_000


class Noted(Job):
    """Notes that its time is over; sets another deadline, if it has one."""

    def __init__(self, turns: Turns, name: str, noted: list[str], next_ns: int = 0) -> None:
        super().__init__(turns)
        self.name = name
        self.noted = noted
        self.next_ns = next_ns

    def time_is_over(self) -> None:
        self.noted.append(f"{self.name} at {self.turns.clock.monotonic_ns()}")
        if self.next_ns:
            self.turns.at(self, self.next_ns)
            self.next_ns = 0


def test_deadline_when_a_job_before_it_sets_itself_a_later_one_then_it_is_not_late() -> None:
    async def story(place: Place, partner: Partner) -> None:
        turns = place.host.turns
        noted: list[str] = []
        now_ns = turns.clock.monotonic_ns()
        far_ns = now_ns + 1_000_000 * SOON_NS
        turns.at(Noted(turns, "first", noted, far_ns), now_ns + SOON_NS)
        turns.at(Noted(turns, "second", noted), now_ns + 3 * SOON_NS)
        await partner.until(lambda: turns.clock.monotonic_ns() > now_ns + 3 * SOON_NS)
        await partner.until(lambda: len(noted) == 2)
        assert [one.split()[0] for one in noted] == ["first", "second"]

    run_story(story)
