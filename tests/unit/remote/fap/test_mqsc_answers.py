"""Answers of MQSC that come back as text are the answers that were given.

Every command below is carried out by an embedded queue manager; its answers are printed as the
command server prints them, read again, and compared with what was there before.
"""

from __future__ import annotations

import pytest

import ternmq
from ternmq.admin.mqsc.printer import answer_lines
from ternmq.remote.fap.mqsc_answers import answer_of_text
from ternmq.values.command import Answer

pytestmark = pytest.mark.core

COMMANDS = (
    "DEFINE QLOCAL('A.B') DESCR('two words (and brackets)') MAXDEPTH(7)",
    "DEFINE QLOCAL('A.B')",
    "DISPLAY QUEUE(*) ALL",
    "DISPLAY QMGR ALL",
    "DISPLAY QLOCAL('A.B') MAXDEPTH DESCR",
    "DISPLAY QSTATUS('A.B')",
    "DISPLAY QUEUE(NOT.THERE)",
    "DISPLAY CHANNEL(*) ALL",
    "DEFINE NAMELIST(N) NAMES(ONE, TWO, THREE)",
    "DISPLAY NAMELIST(N) ALL",
    "ALTER QLOCAL('A.B') MAXDEPTH(99999999999)",
    "DEFINE QLOCAL",
    "NONSENSE",
    "CLEAR QLOCAL('A.B')",
    "DELETE QLOCAL('A.B')",
    "PING QMGR",
)


def shown(answer: Answer) -> list[tuple[str, str, bool]]:
    return [(one.keyword, str(one.value), one.bare) for one in answer.items]


def test_printed_answers_are_read_as_they_were() -> None:
    with ternmq.memory("QM1") as qmgr:
        for command in COMMANDS:
            for answer in qmgr.mqsc(command):
                text = "\n".join(answer_lines(answer))
                read = answer_of_text(text, answer.comp, answer.reason)
                assert read.message == answer.message, command
                assert shown(read) == shown(answer), command
                assert "\n".join(answer_lines(read)) == text, command


def test_text_that_is_no_answer_is_kept_as_words() -> None:
    read = answer_of_text("what is this", 2, 2195)
    assert (read.message, read.detail, read.ok) == ("", "what is this", False)
