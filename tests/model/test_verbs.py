"""The verbs against a model: random work of three connections on three queues, stops and crashes.

Method: Hypothesis state machines (`machine`) on a queue manager with tiny buffers and a tiny log,
so that messages are swept to segments, extents switched and the oldest unit of work backed out
all the time. Every run has the same examples; TERNMQ_MODEL_EXAMPLES=5000 makes it a long
search that shrinks what it finds, TERNMQ_MODEL_SEED another one.
"""

import os

import pytest
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.model.machine import VerbsMachine
from tests.model.walk import LinearMachine

pytestmark = [pytest.mark.core, pytest.mark.walk]

EXAMPLES = int(os.environ.get("TERNMQ_MODEL_EXAMPLES", "0"))
STEPS = int(os.environ.get("TERNMQ_MODEL_STEPS", "50"))
SEED = int(os.environ.get("TERNMQ_MODEL_SEED", "0"))
SHORT = (Phase.explicit, Phase.generate)
LONG = (Phase.explicit, Phase.generate, Phase.shrink)


def search(machine: type[VerbsMachine], examples: int, number: int) -> None:
    chosen = settings(
        max_examples=EXAMPLES or examples,
        stateful_step_count=STEPS,
        phases=LONG if EXAMPLES else SHORT,
        database=None,
        deadline=None,
        print_blob=False,
        report_multiple_bugs=not EXAMPLES,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(seed(SEED + number)(machine), settings=chosen)


@pytest.mark.timeout(0 if EXAMPLES else 60)
@pytest.mark.parametrize("number", range(3))
def test_verbs_on_a_circular_log_answer_as_the_model(number: int) -> None:
    search(VerbsMachine, 60, number)


@pytest.mark.timeout(0 if EXAMPLES else 60)
def test_verbs_on_a_linear_log_answer_as_the_model() -> None:
    search(LinearMachine, 40, 100)
