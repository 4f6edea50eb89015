"""Goal: a refusal names what the user has named, never a queue that the user may not display.

Method: a user without authority, on every binding, asks by generic names and by the names of
cursors; everything that comes back is searched for the names of the queues.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

import ternmq
from tests.security.granting import Place, grant

pytestmark = pytest.mark.core


def said(work: Callable[[], object]) -> str:
    """All that a refusal says."""
    with pytest.raises(ternmq.NotAuthorized) as refused:
        work()
    error = refused.value
    return f"{error} {error.object} {error.detail} {error.__cause__} {error.__context__}"


def answered(connection: ternmq.Connection, text: str) -> str:
    """The same of an MQSC command."""
    [answer] = connection.mqsc(text)
    assert answer.message == "AMQ8135E"
    return f"{answer!r} {answer.inserts} {answer.detail}"


def test_cursor_when_its_queue_is_hidden_then_refused_without_its_name(
    place: Place,
) -> None:
    qm, connect = place
    with connect("fred") as fred:
        for queue in ("", "OTHER"):
            text = said(partial(fred.cursor, "C", queue))
            assert "HIDDEN" not in text
            assert "lacks browse on the queue of cursor C" in text
        # Who names the queue reads its name.
        assert "lacks browse on queue HIDDEN.ONE" in said(lambda: fred.cursor("C", "HIDDEN.ONE"))
        grant(qm, "queue", "HIDDEN.ONE", "fred", "browse")
        cursor = fred.cursor("C")
        grant(qm, "queue", "HIDDEN.ONE", "fred", "inq")
        changes: list[Callable[[], object]] = [
            cursor.advance,
            cursor.delete,
            lambda: cursor.reset("latest"),
        ]
        for change in changes:
            text = said(change)
            assert "HIDDEN" not in text
            assert "on the queue of cursor C" in text
        # So does one who may display it.
        grant(qm, "queue", "HIDDEN.ONE", "fred", "dsp")
        assert "lacks browse on queue HIDDEN.ONE" in said(lambda: fred.cursor("C"))


@pytest.mark.parametrize(
    "text",
    [
        "RESET CURSOR(C) POSITION(LATEST)",
        "DELETE CURSOR(C)",
        "DISPLAY CURSOR(C)",
        "DISPLAY CURSOR(*)",
        "DISPLAY QUEUE(*)",
        "DISPLAY QLOCAL(HID*)",
        "DISPLAY QSTATUS(HID*)",
        "DISPLAY QSTATUS(HID*) TYPE(HANDLE)",
        "DISPLAY CHANNEL(*)",
        "DISPLAY SUB(*)",
    ],
)
def test_command_when_objects_are_hidden_then_refused_without_their_names(
    place: Place, text: str
) -> None:
    _, connect = place
    with connect("fred") as fred:
        shown = answered(fred, text)
        assert "HIDDEN" not in shown
        assert "SYSTEM." not in shown
        asked = text.partition("(")[2].partition(")")[0]
        assert asked in shown


def test_define_cursor_when_the_name_is_taken_on_a_hidden_queue_then_its_queue_is_not_named(
    place: Place,
) -> None:
    qm, connect = place
    qm.define_queue("MINE")
    grant(qm, "queue", "MINE", "fred", "chg dsp browse")
    with connect("fred") as fred:
        shown = answered(fred, "DEFINE CURSOR(C) QUEUE(MINE)")
        assert "HIDDEN" not in shown
        assert "HIDDEN" not in said(lambda: fred.cursor("C", "MINE"))
        # Authority to change the other queue is not authority to see it.
        grant(qm, "queue", "HIDDEN.ONE", "fred", "chg")
        [answer] = fred.mqsc("DEFINE CURSOR(C) QUEUE(MINE)")
        assert not answer.ok
        assert "HIDDEN" not in f"{answer!r} {answer.inserts} {answer.detail}"


def test_display_when_operators_look_then_they_read_which_queue_it_was(
    place: Place,
) -> None:
    qm, connect = place
    notices = qm.started.shell.engine.kernel.notices
    notices.take()
    with connect("fred") as fred:
        answered(fred, "DISPLAY QLOCAL(HID*)")
        said(lambda: fred.cursor("C"))
    reported = [one.inserts for one in notices.take()]
    assert ("fred", "HIDDEN.ONE [queue]", "browse") in reported
    assert any(
        one[0] == "fred" and "HIDDEN." in str(one[1]) and one[2] == "dsp" for one in reported
    )
