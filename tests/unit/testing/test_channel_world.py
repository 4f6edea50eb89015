"""Goal: channels of a simulated world do the same for the same seed, and its checkers see what is
wrong. Method: seeds run twice; faults planted into what carries wants out, which must be found.
"""

from collections.abc import Callable

import pytest

from ternmq.channel.agent import COMMIT, Want
from ternmq.testing import channel_scenario
from ternmq.testing.channel_hands import Hands
from ternmq.testing.channel_scenario import ChannelScenario
from ternmq.testing.verbs import Steps
from tests.proof.channel_cell import Cell
from tests.proof.channel_expected import EXPECTED, IMPOSSIBLE
from tests.proof.channel_matrix import cells
from tests.proof.channel_setting import KINDS, SHAPES
from tests.proof.channel_steps import Fault, Step

pytestmark = pytest.mark.core


def test_table_then_every_step_and_fault_is_in_it_or_cannot_be_for_a_reason() -> None:
    for step in Step:
        for fault in Fault:
            assert ((step, fault) in EXPECTED) is not ((step, fault) in IMPOSSIBLE), (step, fault)
    assert all(IMPOSSIBLE.values())
    assert len(list(cells(1))) == 15 * 12 * 4 * 3
    assert len(list(cells(2))) >= 10_000


def test_seed_when_it_is_run_twice_then_it_does_the_same() -> None:
    first, second = channel_scenario.run(6), channel_scenario.run(6)
    assert first.problems == []
    assert first.digest == second.digest


def test_world_without_faults_then_nothing_is_lost_and_all_is_acknowledged() -> None:
    scenario = ChannelScenario(11)
    result = scenario.play([])
    assert result.problems == []
    assert result.report.ok == result.report.acknowledged
    assert result.report.gone == 0


@pytest.mark.parametrize("kind", list(KINDS))
def test_cell_when_a_queue_manager_forgets_a_force_then_it_is_found(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A receiver that confirms what it has not forced loses the batch with its power."""
    sound = Hands.carry_out

    def careless(self: Hands, want: Want, worked: Callable[[], None]) -> Steps[None]:
        if want.kind != COMMIT or self.sends:
            yield from sound(self, want, worked)
            return
        for need in sound(self, want, worked):
            if not isinstance(need, int):
                yield need

    monkeypatch.setattr(Hands, "carry_out", careless)
    with pytest.raises(AssertionError):
        Cell(kind, SHAPES[0], Step.SETTLE, Fault.RECEIVER_BEFORE).run()
