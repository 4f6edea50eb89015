"""Goal (K2): a function of MQCB gets what a get would: by selector, by identifiers, browsed, read
ahead; by every binding that has MQCB.
Method: messages of which some match; what the function was called with, and what is left.
"""

from __future__ import annotations

import pytest

from ternmq import QueueManager
from ternmq.base import constants as mq
from tests.battery.recorded import numbered, put_all
from tests.bindings.consuming import consumed

MINE = b"m" * 24
SHARED = mq.MQOO_INPUT_SHARED | mq.MQOO_BROWSE | mq.MQOO_INQUIRE


@pytest.fixture
def mixed(qmgr: QueueManager) -> QueueManager:
    """Queue A has messages 0 to 5; the odd ones are red, and have a CorrelId."""
    qmgr.define_queue("A")
    for number in range(6):
        if number % 2 == 1:
            qmgr.put("A", b"%d" % number, format="RED", correl_id=MINE)
        else:
            qmgr.put("A", b"%d" % number, format="BLUE")
    return qmgr


def left_on(qmgr: QueueManager) -> list[bytes]:
    with qmgr.queue("A") as queue:
        return [one.data for one in queue]


def test_function_when_the_handle_selects_then_it_gets_what_matches(mixed: QueueManager) -> None:
    with mixed.queue("A", selector="Root.MQMD.Format = 'RED'", options=SHARED) as queue:
        assert consumed(mixed, queue, 3) == [b"1", b"3", b"5"]
    assert left_on(mixed) == [b"0", b"2", b"4"]


def test_function_when_an_identifier_is_given_then_it_gets_what_matches(
    mixed: QueueManager,
) -> None:
    with mixed.queue("A", options=SHARED) as queue:
        assert consumed(mixed, queue, 3, correl_id=MINE) == [b"1", b"3", b"5"]
    assert left_on(mixed) == [b"0", b"2", b"4"]


def test_function_when_it_browses_then_each_message_is_shown_once_and_stays(
    mixed: QueueManager,
) -> None:
    with mixed.queue("A", options=SHARED) as queue:
        assert consumed(mixed, queue, 6, browse=True) == numbered(6)
    assert left_on(mixed) == numbered(6)


def test_function_when_messages_are_read_ahead_then_each_comes_once(qmgr: QueueManager) -> None:
    qmgr.define_queue("A")
    put_all(qmgr, "A", numbered(40))
    with qmgr.queue("A", options=mq.MQOO_INPUT_SHARED | mq.MQOO_READ_AHEAD) as queue:
        assert consumed(qmgr, queue, 40) == numbered(40)
    assert left_on(qmgr) == []
