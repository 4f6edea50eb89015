"""Goal: names lead where docs/administration/name-resolution.md says, and where IBM MQ's rules say,
in every pair.

Method: the definitions of the page on a memory queue manager; each line of its table is opened, and
every pair of a queue manager's and a queue's name is compared with a second reading of the rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

import ternmq
from ternmq import constants as mq
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.codec.mqi.mqpmo import PutOptions
from ternmq.kernel.connection import Handle
from ternmq.values.calls.objects import Open
from tests.mqi import mqi

ROOT: Final = Path(__file__).resolve().parents[2]
PAGE: Final = (ROOT / "docs" / "administration" / "name-resolution.md").read_text(encoding="utf-8")
SELF: Final = "QMA"
DEFAULT: Final = "XDEF"
DYNAMIC: Final = f"a dynamic queue at {SELF}"


def definitions() -> str:
    """The commands of the page."""
    found = re.search(r'qmgr\.mqsc\("""\n(.*?)"""\)', PAGE, re.DOTALL)
    assert found is not None
    return found.group(1)


def rules() -> list[list[str]]:
    """Number, queue manager, queue, result without and with a default transmission queue."""
    table = PAGE.split("<!-- rules: begin -->")[1].split("<!-- rules: end -->")[0]
    lines = [line for line in table.splitlines() if re.match(r"\| R\d+ \|", line)]
    return [[cell.strip() for cell in line.strip("|").split("|")][:5] for line in lines]


@pytest.fixture(scope="module", params=["", DEFAULT], ids=["no default", "default"])
def qmgr(request: pytest.FixtureRequest) -> Iterator[ternmq.QueueManager]:
    with ternmq.memory(SELF) as started:
        assert all(answer.ok for answer in started.mqsc(definitions()))
        started.alter_qmgr(DEFXMITQ=request.param)
        yield started


def given(name: str) -> str:
    return "" if name == "blank" else name


def result_of(qmgr: ternmq.QueueManager, manager: str, queue: str) -> str:
    """What MQOPEN for output finds, as the page writes it."""
    od = ObjectDescriptor(
        object_name=queue, object_qmgr_name=manager, dynamic_queue_name="MADE.HERE.*"
    )
    call = Open(od, mq.MQOO_OUTPUT)
    try:
        qmgr.run(call)
    except ternmq.MQError as refused:
        return str(refused.reason)
    finally:
        if isinstance(call.handle, Handle):
            mqi(qmgr).close(call.handle, 0)
    if call.resolved_name.startswith("MADE.HERE."):
        return DYNAMIC
    is_sent = isinstance(call.handle, Handle) and call.handle.route is not None
    via = f" via {call.local_queue}" if is_sent else ""
    return f"{call.resolved_name} at {call.resolved_qmgr}{via}"


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: rule[0])
def test_rule_when_its_names_are_opened_then_its_result(
    qmgr: ternmq.QueueManager, rule: list[str]
) -> None:
    default = str(qmgr.qmgr_attributes()["default_transmission_queue"])
    wanted = rule[4] if default else rule[3]
    assert result_of(qmgr, given(rule[1]), given(rule[2])) == wanted


# ---- the rules once more, written from IBM MQ's table of name resolution and its reasons


class Rules:
    """What IBM MQ says of the definitions of the page."""

    def __init__(self, default: str) -> None:
        self.default = default
        self.kinds: dict[str, str] = {}
        self.values: dict[str, dict[str, str]] = {}
        for line in definitions().splitlines():
            words = dict(re.findall(r"(\w+)\('? ?([\w.]*)'?\)", line))
            kind = next(iter(words))
            name = words.pop(kind)
            self.kinds[name] = kind
            self.values[name] = words
        self.kinds[DEFAULT] = "QLOCAL"

    def opened(self, manager: str, queue: str) -> str:
        """The result of a pair of names."""
        if manager in ("", SELF):
            return self.here(queue)
        if not queue:
            return "2184"
        kind = self.kinds.get(manager, "")
        if kind == "QREMOTE":
            alias = self.values[manager]
            if alias.get("RNAME"):
                return "2087"
            if self.is_self(manager):
                return self.here(queue)
            return self.sent(queue, alias["RQMNAME"], alias.get("XMITQ", ""))
        if kind == "QMODEL":
            return "2087"
        if kind == "QLOCAL":
            return self.sent(queue, manager, "")
        return self.by_default(queue, manager)

    def is_self(self, manager: str) -> bool:
        alias = self.values.get(manager, {})
        is_alias = self.kinds.get(manager) == "QREMOTE" and not alias.get("RNAME")
        return is_alias and alias.get("RQMNAME", "") in ("", SELF)

    def here(self, queue: str) -> str:
        kind = self.kinds.get(queue, "")
        if kind == "QALIAS":
            queue = self.values[queue]["TARGET"]
            kind = self.kinds.get(queue, "")
            if not kind:
                return "2082"
            if kind not in ("QLOCAL", "QREMOTE"):
                return "2001"
        if kind == "QREMOTE":
            remote = self.values[queue]
            if not remote.get("RNAME"):
                return "2184"
            if remote.get("RQMNAME", "") in ("", SELF):
                return "2087"
            return self.sent(remote["RNAME"], remote["RQMNAME"], remote.get("XMITQ", ""))
        if kind == "QMODEL":
            return DYNAMIC
        return f"{queue} at {SELF}" if kind else "2085"

    def sent(self, queue: str, manager: str, named: str) -> str:
        name = named or manager
        kind = self.kinds.get(name, "")
        if not kind:
            return "2196" if named else self.by_default(queue, manager)
        if kind != "QLOCAL":
            return "2091"
        if name != DEFAULT and "USAGE" not in self.values.get(name, {}):
            return "2092"
        return f"{queue} at {manager} via {name}"

    def by_default(self, queue: str, manager: str) -> str:
        return f"{queue} at {manager} via {self.default}" if self.default else "2087"


def test_all_pairs_of_names_when_opened_then_as_the_rules_say(qmgr: ternmq.QueueManager) -> None:
    expected = Rules(str(qmgr.qmgr_attributes()["default_transmission_queue"]))
    names = ["", SELF, "QMZ", "NO.SUCH.Q", *expected.kinds]
    pairs = [(manager, queue) for manager in names for queue in names]
    found = {pair: result_of(qmgr, *pair) for pair in pairs}
    assert len(found) > 900
    assert found == {pair: expected.opened(*pair) for pair in pairs}


def test_put1_of_each_rule_then_the_same_result(qmgr: ternmq.QueueManager) -> None:
    default = str(qmgr.qmgr_attributes()["default_transmission_queue"])
    for rule in rules():
        wanted = rule[4] if default else rule[3]
        od = ObjectDescriptor(object_name=given(rule[2]), object_qmgr_name=given(rule[1]))
        reason = 0
        try:
            mqi(qmgr).put1(od, mqi(qmgr).request_put(Descriptor(), PutOptions()), b"x")
        except ternmq.MQError as refused:
            reason = refused.reason
        if wanted == DYNAMIC:
            assert reason == mq.MQRC_Q_TYPE_ERROR
        else:
            assert reason == (int(wanted) if wanted.isdigit() else 0), rule[0]
