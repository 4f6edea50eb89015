"""Long random walks against the model: deep queues, a full log, stops and crashes on the way.

Method: `walk` makes the steps from a seed; a walk that fails is shortened and shown with the
command that takes it again. What happens on the way is counted, so that walks that go nowhere are
noticed.
"""

from collections import Counter

import pytest

from tests.model.machine import VerbsMachine
from tests.model.stage import IDS
from tests.model.walk import Step, make_walk, shorten, walk_seeds

pytestmark = [pytest.mark.core, pytest.mark.walk]

SEEDS = 10
LENGTH = 200


@pytest.mark.timeout(240)
@pytest.mark.parametrize("part", range(4))
def test_long_walks_answer_as_the_model(part: int) -> None:
    notes: Counter[str] = Counter()
    assert len(list(walk_seeds(part * SEEDS, SEEDS, LENGTH, notes))) == SEEDS
    for what in ("victim of a full log", "told of a backout", "queue deleted"):
        assert notes[what] > 0, notes


def test_walk_of_a_seed_is_always_the_same() -> None:
    assert make_walk(7, 50) == make_walk(7, 50)
    assert make_walk(7, 50) != make_walk(8, 50)


def test_walk_that_fails_is_cut_down_to_what_it_needs() -> None:
    class Faulty(VerbsMachine):
        def undo(self, number: int) -> None:
            raise ZeroDivisionError

    steps = shorten(Faulty, make_walk(1, 80), ZeroDivisionError())
    assert [step.rule for step in steps] == ["create", "undo"]
    assert str(Step("undo", {"number": 1})) == "state.undo(number=1)"


def test_get_backed_out_after_its_segment_was_given_up_then_memory_is_its_home() -> None:
    state = VerbsMachine()
    state.create(pages=64)
    state.put_many(2, "B", 24, 6000, 1, "none", IDS[0], False)
    state.background("checkpoint", 3)
    state.get_from_the_middle(1, "B", [52, 43, 17, 54, 13, 15], "correl_id")
    state.get(2, "B", ("both", 1), 9, "out", "accept")
    state.background("settle", 3)
    state.undo(1)
    state.everything_is_sound()
    state.get(0, "B", ("any", 5), 9, "out", "accept")
    state.everything_is_sound()
    state.teardown()


def test_get_backed_out_while_the_rear_is_swept_then_it_is_before_what_was_swept() -> None:
    state = VerbsMachine()
    state.create(pages=16)
    state.put_many(0, "B", 17, 1000, 1, "some", None, True)
    state.end("cut stop", 5, 0, "B")
    state.put_many(0, "B", 25, 3000, 1, "some", IDS[2], False)
    state.put_some(1, "A", 4, 5000, True)
    state.get_from_the_middle(0, "B", [29, 6, 48, 8, 28, 27], "token")
    state.end("stop", 4, 2, "B")
    state.put_some(2, "B", 5, 30_000, True)
    state.background("settle", 2)
    state.background("sweep", 3)
    state.get_many(2, "B", 16, True)
    state.get_from_the_middle(1, "B", [12, 40, 2, 18, 24, 43, 27, 36], "correl_id")
    state.background("settle", 4)
    state.put_some(2, "B", 4, 30_000, False)
    state.undo(2)
    state.background("run", 2)
    state.everything_is_sound()
    state.get_many(2, "B", 40, False)
    state.teardown()


def test_get_with_a_selection_after_a_sweep_and_a_crash_then_the_model_says_which() -> None:
    state = VerbsMachine()
    state.create(pages=64)
    state.put_many(0, "B", 40, 3000, 1, "all", None, False, True)
    state.background("sweep", 1)
    state.background("settle", 1)
    state.get_many(1, "B", 3, True, "number > 2")
    state.get_many(2, "B", 30, False, "number < 4 AND colour <> 'red'")
    state.undo(1)
    state.get_many(2, "B", 2, False, "number > 2")
    state.end("crash", 2, 0, "B")
    state.everything_is_sound()
    state.browse_some(0, "B", 9, True, ("any", 0), True, "colour = 'red'")
    state.get_many(1, "B", 40, False, "colour = 'red'")
    state.get_many(2, "B", 40, False)
    state.everything_is_sound()
    state.teardown()
