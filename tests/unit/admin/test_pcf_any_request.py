"""Goal: no request, however wrong, does anything to the command server but make it answer.

Method: hypothesis over commands, parameters of every kind that some command has, and values of
every structure; each is carried out on one queue manager, which must go on answering.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ternmq
from ternmq import Descriptor, QueueManager
from ternmq.admin.pcf.command_names import COMMANDS, EXTRA_PARAMETERS
from ternmq.admin.pcf.exchange import Exchange, acting_link
from ternmq.base import constants as mq
from ternmq.base.attributes import ATTRIBUTES
from ternmq.codec.pcf import parameter as pcf
from ternmq.codec.pcf.parameter import Parameter
from ternmq.codec.pcf.structures import PCFMessage, unpack_pcf
from ternmq.mqi.steps.administration import CarryOut

pytestmark = pytest.mark.core

NUMBERS = st.one_of(st.integers(-3, 12), st.sampled_from([1001, 1009, 1105, 2**31 - 1, -(2**31)]))
TEXTS = st.one_of(
    st.sampled_from(["", "*", "Q", "Q*", "SYSTEM.*", "MINE", "é", "a'b(c)", "QMGR", "1,2"]),
    st.text(max_size=6),
)
NAMES = sorted({row.name for row in COMMANDS.values() if row.name})
LISTS = sorted({row.attributes for row in COMMANDS.values() if row.attributes})
PARAMETERS = st.sampled_from(
    sorted(
        {row.selector for row in ATTRIBUTES if row.selector}
        | set(EXTRA_PARAMETERS)
        | set(NAMES)
        | set(LISTS)
        | {0, 4711}
    )
)
SELECTORS = st.sampled_from(sorted({row.selector for row in ATTRIBUTES}))
STRUCTURES = st.one_of(
    st.builds(pcf.integer, PARAMETERS, NUMBERS),
    st.builds(pcf.string, PARAMETERS, TEXTS),
    st.builds(pcf.integers, PARAMETERS, st.lists(NUMBERS, max_size=3)),
    st.builds(pcf.integers, st.sampled_from(LISTS), st.lists(SELECTORS, max_size=3)),
    st.builds(pcf.strings, PARAMETERS, st.lists(TEXTS, max_size=3)),
    st.builds(pcf.byte_string, PARAMETERS, st.binary(max_size=30)),
    st.builds(pcf.integer_filter, PARAMETERS, NUMBERS, NUMBERS),
    st.builds(pcf.string_filter, PARAMETERS, NUMBERS, TEXTS),
    st.builds(pcf.byte_string_filter, PARAMETERS, NUMBERS, st.binary(max_size=4)),
    st.builds(pcf.group, PARAMETERS, st.just([])),
)


@pytest.fixture(scope="module")
def qmgr() -> Iterator[QueueManager]:
    with ternmq.memory("QM1") as made:
        made.define_queue("Q")
        yield made


def answers(qmgr: QueueManager, request: PCFMessage) -> list[PCFMessage]:
    md = Descriptor(format=mq.MQFMT_ADMIN, ccsid=1208, user_id="fuzz")
    exchange = Exchange(md, request.pack())
    shell = qmgr.started.shell
    shell.run(acting_link(shell.engine.kernel, md), CarryOut([exchange]))
    replies = exchange.replies
    return [unpack_pcf(replies.packed(at, "<", 1208)) for at in range(replies.count)]


@pytest.mark.parametrize("number", sorted(COMMANDS), ids=lambda number: COMMANDS[number].word)
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(STRUCTURES, max_size=4), TEXTS, st.integers(0, 9))
def test_any_request_is_answered(
    qmgr: QueueManager, number: int, parameters: list[Parameter], name: str, kind: int
) -> None:
    row = COMMANDS[number]
    wanted: list[Parameter] = []
    if row.name == mq.MQBACF_CONNECTION_ID:
        wanted.append(pcf.byte_string(row.name, name.encode()))
    elif row.name:
        wanted.append(pcf.string(row.name, name))
    if kind < 5 and row.noun == "QUEUE":
        wanted.append(pcf.integer(mq.MQIA_Q_TYPE, kind))
    if row.noun in ("CHANNEL", "AUTHINFO"):
        selector = mq.MQIACH_CHANNEL_TYPE if row.noun == "CHANNEL" else mq.MQIA_AUTH_INFO_TYPE
        wanted.append(pcf.integer(selector, kind))
    found = answers(qmgr, PCFMessage(mq.MQCFT_COMMAND, number, [*wanted, *parameters], version=3))
    assert found
    assert [one.sequence for one in found] == list(range(1, len(found) + 1))
    assert found[-1].control == mq.MQCFC_LAST
    assert {one.command for one in found} == {number}
    if found[-1].comp == mq.MQCC_FAILED:
        assert len(found) > 1
