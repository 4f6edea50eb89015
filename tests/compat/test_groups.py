"""Goal: groups in logical order for programs of pymqi and ibmmq, on the machine and through a
channel.
Method: IBM's example of logical order, put by its fields; statuses, warnings and reasons of MQGET
and MQCLOSE.
"""

from __future__ import annotations

from typing import Any

import pytest

from ternmq.compat.pymqi import CMQC
from tests.battery.test_groups import EXAMPLE, IN_ORDER, flags_of
from tests.compat.conftest import Program

pytestmark = pytest.mark.core

ORDER = CMQC.MQGMO_LOGICAL_ORDER
NO_MATCH = {"MatchOptions": CMQC.MQMO_NONE}


@pytest.fixture
def queue(program: Program) -> Any:
    """Queue A with IBM's example."""
    queue = program.queue("A")
    for name in EXAMPLE.split():
        put(program, queue, name)
    return queue


def put(program: Program, queue: Any, name: str) -> None:
    flags = flags_of(name)
    number, _, offset = name.translate(str.maketrans("", "", "ABYZLsS")).partition("@")
    md = program.md(
        MsgFlags=flags,
        GroupId=name[:1].encode() * 24 if flags else bytes(24),
        MsgSeqNumber=int(number or 1),
        Offset=int(offset or 0),
    )
    queue.put(name.encode(), md)


def get(program: Program, queue: Any, options: int = ORDER, **fields: Any) -> tuple[str, str]:
    """The message, and its three statuses."""
    gmo = program.gmo(Options=options, **{**NO_MATCH, **fields})
    data = queue.get(None, program.md(), gmo)
    statuses = (gmo.GroupStatus, gmo.SegmentStatus, gmo.Segmentation)
    shown = "".join(one.decode() if isinstance(one, bytes) else chr(one) for one in statuses)
    return data.decode(), shown


def test_logical_order_then_ibms_example_with_its_statuses(program: Program, queue: Any) -> None:
    found = [get(program, queue) for _ in EXAMPLE.split()]
    assert " ".join(name for name, _ in found) == IN_ORDER
    assert [shown for _, shown in found] == [
        "   ",
        "G  ",
        "G  ",
        "LS ",
        "LL ",
        "G  ",
        "L  ",
        "   ",
    ]
    assert program.reason(get, program, queue) == CMQC.MQRC_NO_MSG_AVAILABLE
    queue.close()


def test_browse_in_logical_order_and_then_otherwise(program: Program, queue: Any) -> None:
    first = CMQC.MQGMO_BROWSE_FIRST | ORDER
    following = CMQC.MQGMO_BROWSE_NEXT | ORDER
    found = [get(program, queue, first)[0]]
    found += [get(program, queue, following)[0] for _ in EXAMPLE.split()[1:]]
    assert " ".join(found) == IN_ORDER
    reason = program.reason(get, program, queue, CMQC.MQGMO_BROWSE_NEXT)
    assert reason == CMQC.MQRC_INCONSISTENT_BROWSE
    queue.close()


def test_close_inside_a_group_then_a_warning_and_closed(program: Program, queue: Any) -> None:
    assert get(program, queue)[0] == "A"
    assert get(program, queue)[0] == "Y1"
    assert program.reason(queue.close) == CMQC.MQRC_INCOMPLETE_GROUP
    assert program.reason(get, program, queue) == CMQC.MQRC_HOBJ_ERROR
    again = program.queue("A")
    assert get(program, again)[0] == "Z1"  # the rest of group Y has no beginning
    assert get(program, again)[0] == "Z2L"
    again.close()


def test_logical_order_with_structures_of_version_1_then_refused(
    program: Program, queue: Any
) -> None:
    gmo = program.gmo(Options=ORDER, Version=CMQC.MQGMO_VERSION_1)
    assert program.reason(queue.get, None, program.md(), gmo) == CMQC.MQRC_WRONG_GMO_VERSION
    gmo = program.gmo(Options=ORDER)
    md = program.library.MD(Version=CMQC.MQMD_VERSION_1)
    assert program.reason(queue.get, None, md, gmo) == CMQC.MQRC_WRONG_MD_VERSION
    queue.close()
