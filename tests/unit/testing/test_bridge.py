"""Goal: the bridge of the simulated world loses nothing and gives nothing twice whatever its link
does, and the world's account would tell. Method: plans that cut the link all the time, with bytes
that come late, on several seeds.
"""

import pytest

from ternmq.testing import scenario
from ternmq.testing.fault_plan import Fault

pytestmark = pytest.mark.core

# Seeds whose world has a bridge.
SEEDS = [seed for seed in range(12) if len(scenario.Scenario(seed).names) > 1][:4]


def cuts(kinds: tuple[str, ...], every_s: float) -> list[Fault]:
    return [
        Fault(1.0 + number * every_s, kinds[number % len(kinds)], "QM1", number * 0.37 % 1)
        for number in range(int(3 / every_s))
    ]


@pytest.mark.parametrize("seed", SEEDS)
def test_bridge_when_bytes_come_late_then_each_message_arrives_once(seed: int) -> None:
    for every_s in (0.023, 0.047, 0.11):
        result = scenario.run(seed, cuts(("cut, bytes late",), every_s))
        assert result.problems == []
        assert result.cuts > 1


@pytest.mark.parametrize("seed", SEEDS)
def test_bridge_when_links_and_queue_managers_fail_then_each_message_arrives_once(
    seed: int,
) -> None:
    kinds = ("cut", "power in a call", "cut, bytes late", "silent", "kill", "cut after bytes")
    result = scenario.run(seed, cuts(kinds, 0.13))
    assert result.problems == []
    assert result.starts > 4
