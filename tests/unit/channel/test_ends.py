"""Goal: each code of STATUS_DATA ends a channel with the right message at both ends, and the page
shows which ends are tried again.

Method: the table of `channel.ends` against the messages, the names of the codes and the page.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ternmq.base.amq_table import TABLE
from ternmq.base.object_types import RECEIVER, SENDER
from ternmq.channel.agent import NO_RETRY, RETRY
from ternmq.channel.ends import end_of_received, end_of_sent
from ternmq.wire.fap import vocabulary as fap
from ternmq.wire.fap.segment import read_segment
from tests.unit.channel.model import Pair, settings
from tests.unit.channel.raw import WRITER, raw_to_receiver, raw_to_sender

pytestmark = pytest.mark.core

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "administration" / "channel-ends.md"
SOURCES = ROOT / "src" / "ternmq" / "channel"
WORDS = {RETRY: "yes", NO_RETRY: "no"}


def page_rows() -> list[str]:
    """The table of the page."""
    made: list[str] = []
    for code, name in sorted(fap.STATUS_NAMES.items()):
        kind, received = end_of_received(code)
        _kind, sent = end_of_sent(code)
        made.append(f"| {code} | {name} | {sent} | {received} | {WORDS[kind]} |")
    return made


def test_page_then_it_shows_every_code() -> None:
    text = PAGE.read_text("utf-8")
    rows = [line for line in text.splitlines() if re.match(r"\| \d", line)]
    assert rows == page_rows()


def test_messages_then_all_that_agents_name_are_there() -> None:
    named: set[str] = set()
    for file in SOURCES.glob("*.py"):
        named.update(re.findall(r"AMQ\d{4}[A-Z]", file.read_text("utf-8")))
    known = {line.split("\t")[0] for line in TABLE.splitlines()}
    assert named - known == set()
    assert len(named) > 20


@pytest.mark.parametrize("code", [*sorted(fap.STATUS_NAMES), 99, -1])
def test_status_when_a_partner_sends_it_then_the_channel_ends_by_the_table(code: int) -> None:
    for raw in (raw_to_sender(), raw_to_receiver()):
        raw.say(WRITER.failure(code, None, bytes(8)))
        end = raw.agent.end
        assert end is not None
        assert (end.kind, end.message_id) == end_of_received(code)
        assert end.status == code


def test_opening_when_it_is_refused_then_the_code_decides() -> None:
    pair = Pair(settings(SENDER, "QMA"), settings(RECEIVER, "QMB"))
    agent = pair.agents[0]
    agent.start(1)
    agent.received(read_segment(WRITER.failure(fap.CIPHER_SPEC, None, bytes(8))), 2)
    assert agent.end is not None
    assert (agent.end.kind, agent.end.message_id) == (NO_RETRY, "AMQ9641E")
