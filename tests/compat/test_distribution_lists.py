"""Goal: RecsPresent of programs of pymqi and ibmmq, which cannot hand over records, has the reason
that it has without them.
Method: MQOD and MQPMO with a number of records, on the machine and through a channel.
"""

from __future__ import annotations

import pytest

from ternmq.base import constants as mq
from tests.compat.conftest import Program

pytestmark = pytest.mark.core


@pytest.mark.parametrize(("count", "reason"), [(2, 2155), (-1, 2154)])
def test_open_when_recs_present_is_set_then_2155(program: Program, count: int, reason: int) -> None:
    library = program.library
    od = library.OD(ObjectName=b"A", Version=2, RecsPresent=count)
    queue = library.Queue(program.qmgr)
    assert program.reason(queue.open, od, mq.MQOO_OUTPUT) == reason


@pytest.mark.parametrize("count", [1, -1])
def test_put_when_recs_present_is_set_then_2154(program: Program, count: int) -> None:
    queue = program.queue("A")
    pmo = program.library.PMO(Version=2, RecsPresent=count)
    assert program.reason(queue.put, b"x", program.md(), pmo) == 2154
    queue.close()
