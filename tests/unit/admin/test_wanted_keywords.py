"""Goal: a DISPLAY that is made by hand is refused for what MQSC refuses: keywords that the object
does not have, in the list of attributes, as a parameter and in the filter.

Method: commands through `connection.command` and `connection.run` on every binding, beside the same
command as text.
"""

from __future__ import annotations

from typing import Any

import pytest

from ternmq.base.command_reasons import MQRCCF_CFST_PARM_ID_ERROR, MQRCCF_PARM_SYNTAX_ERROR
from ternmq.values.calls.administration import RunCommands
from ternmq.values.command import Command, Filter
from tests.unit.api.faces import FACES, in_loop

pytestmark = pytest.mark.core

faces = pytest.mark.parametrize("api", FACES.values(), ids=FACES.keys())


def display(noun: str, name: str, *wanted: str, **given: str) -> Command:
    command = Command("DISPLAY", noun, name)
    command.wanted = list(wanted)
    command.given = given
    return command


UNKNOWN = [
    ("QUEUE", "A", "NONSENSE"),
    ("QLOCAL", "A", "TARGET"),
    ("QSTATUS", "A", "MAXDEPTH"),
    ("CONN", "*", "MAXDEPTH"),
    ("QMGR", "", "CURDEPTH"),
    ("CHANNEL", "*", "CURDEPTH"),
    ("CURSOR", "*", "CURDEPTH"),
]


@faces
@in_loop
async def test_display_when_an_unknown_keyword_is_wanted_then_refused_as_in_mqsc(api: Any) -> None:
    async with api.memory() as qmgr:
        await qmgr.define_queue("A")
        for noun, name, keyword in UNKNOWN:
            text = f"DISPLAY {noun}{f'({name})' if name else ''} {keyword}"
            [written] = await qmgr.mqsc(text)
            assert written.reason == MQRCCF_PARM_SYNTAX_ERROR
            [made] = await qmgr.command(display(noun, name, "ALL", keyword))
            assert (made.ok, made.reason) == (False, MQRCCF_PARM_SYNTAX_ERROR), text
            assert made.detail == f"{noun} has no attribute {keyword}"
            call = RunCommands([display(noun, name, keyword)])
            await qmgr.run(call)
            assert [one.reason for one in call.answers] == [MQRCCF_PARM_SYNTAX_ERROR]


@faces
@in_loop
async def test_display_when_keywords_are_synonyms_then_shown_as_in_mqsc(api: Any) -> None:
    async with api.memory() as qmgr:
        await qmgr.define_queue("A")
        for noun, keywords in (
            ("QUEUE", ("NOTRIGGER", "descr", "QTYPE")),
            ("QMGR", ("EVENT",)),
            ("QSTATUS", ("TYPE", "CURDEPTH")),
        ):
            name = "" if noun == "QMGR" else "A"
            text = f"DISPLAY {noun}{f'({name})' if name else ''} {' '.join(keywords)}"
            written = await qmgr.mqsc(text)
            made = await qmgr.command(display(noun, name, *keywords))
            assert [one.attributes() for one in made] == [one.attributes() for one in written]


@faces
@in_loop
async def test_display_when_a_parameter_or_filter_is_unknown_then_refused(api: Any) -> None:
    async with api.memory() as qmgr:
        await qmgr.define_queue("A")
        [answer] = await qmgr.command(display("QUEUE", "A", NONSENSE="1"))
        assert answer.reason == MQRCCF_CFST_PARM_ID_ERROR
        for keyword, operator, value in (
            ("NONSENSE", "EQ", "1"),
            ("MAXDEPTH", "ABOUT", "1"),
            ("MAXDEPTH", "EQ", "many"),
        ):
            command = display("QUEUE", "*")
            command.where = Filter(keyword, operator, value)
            [answer] = await qmgr.command(command)
            assert answer.reason == MQRCCF_PARM_SYNTAX_ERROR
        command = display("QUEUE", "*")
        command.where = Filter("DESCR", "EQ", "")
        assert all(one.ok for one in await qmgr.command(command))
