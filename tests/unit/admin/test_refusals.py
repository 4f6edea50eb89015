"""Goal: what a command refuses is told in whole sentences: every message has all that its text,
explanation and action speak of.

Method: each reason that has a message of its own, and some that have none, as refusals.
"""

import re

import pytest

from ternmq.admin import execution
from ternmq.admin.execution import refusal
from ternmq.base import command_reasons, reasons
from ternmq.base.errors import mq_error
from ternmq.base.message_table import message_row

pytestmark = pytest.mark.core

OTHERS = (
    reasons.MQRC_UNEXPECTED_ERROR,
    reasons.MQRC_RESOURCE_PROBLEM,
    command_reasons.MQRCCF_PARM_CONFLICT,
)


def _numbers() -> list[int]:
    named = []
    for name in execution._COMMAND_MESSAGES:
        module = command_reasons if name.startswith("MQRCCF_") else reasons
        named.append(int(getattr(module, name)))
    return [*execution._MESSAGES, *named, *OTHERS]


@pytest.mark.parametrize("reason", _numbers())
def test_refusal_then_its_message_has_every_insert(reason: int) -> None:
    for detail in ("", "MAXDEPTH(7)"):
        answer = refusal(mq_error(reason, verb="ALTER", object="Q", detail=detail), "Q", "fred")
        row = message_row(answer.message)
        asked = re.findall(r"%([1-9])", row.text + row.explanation + row.action)
        assert max([int(one) for one in asked], default=0) <= len(answer.inserts), answer.message
