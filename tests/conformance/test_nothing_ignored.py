"""Goal: no option, field or line of configuration is taken and ignored: it has an effect, it is
refused, or IBM MQ itself says that it is ignored, and then the table has that rule.

Method: the tables of options are walked; an option must be looked at by name in the code, or be in
IGNORED. Every field of MQPMO, MQGMO and MQOD has its place here, and those that are refused are
tried.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import ternmq
from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.base.reasons import (
    MQRC_ACTION_ERROR,
    MQRC_HMSG_ERROR,
    MQRC_OBJECT_RECORDS_ERROR,
    MQRC_OPTIONS_ERROR,
    MQRC_RECS_PRESENT_ERROR,
)
from ternmq.codec.mqi import mqgmo, mqod, mqpmo
from ternmq.codec.mqi.mqgmo import GetOptions
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.codec.mqi.mqpmo import PutOptions
from ternmq.compat import pymqi
from ternmq.compat.pymqi import CMQC
from ternmq.mqi.getting import get_request as request_get
from ternmq.mqi.table import IGNORED, VERBS
from tests.mqi import mqi
from tests.unit.api.networked import CHANNEL, Networked
from tests.unit.api.served import Served
from tools.layers import ROOT

SOURCE = ROOT / "src" / "ternmq"
PREFIXES = {
    "MQCONNX": "MQCNO_",
    "MQOPEN": "MQOO_",
    "MQCLOSE": "MQCO_",
    "MQPUT": "MQPMO_",
    "MQPUT1": "MQPMO_",
    "MQGET": "MQGMO_",
}
# Where options are only listed: the table itself, the vocabulary, and the list of open options that
# need no authority.
LISTS = ("mqi/table.py", "base/", "kernel/authority.py", "compat/")
NOT_SO = ("MASK", "LENGTH", "VERSION", "STRUC", "CURRENT")


def options_of(verb: str, bits: int) -> list[str]:
    """The names of single options among these bits."""
    found = []
    for name, value in vars(mq).items():
        if not name.startswith(PREFIXES[verb]) or not isinstance(value, int) or value <= 0:
            continue
        if value & (value - 1) == 0 and value & bits and not any(w in name for w in NOT_SO):
            found.append(name)
    return found


@cache
def code() -> str:
    """All that may look at an option."""
    texts = []
    for path in sorted(SOURCE.rglob("*.py")):
        place = path.relative_to(SOURCE).as_posix()
        if not place.startswith(LISTS):
            texts.append(path.read_text(encoding="utf-8"))
    return "\n".join(texts)


def rows() -> Iterator[tuple[str, str]]:
    for verb in VERBS:
        if verb.name in PREFIXES:
            for name in options_of(verb.name, verb.options):
                yield verb.name, name


ROWS = list(rows())


def test_table_when_walked_then_there_are_options() -> None:
    assert len(ROWS) > 70
    assert ("MQGET", "MQGMO_NO_PROPERTIES") in ROWS


@pytest.mark.parametrize(("verb", "name"), ROWS)
def test_option_when_it_is_taken_then_something_looks_at_it(verb: str, name: str) -> None:
    same = [one for one in options_of(verb, vars(mq)[name]) if vars(mq)[one] == vars(mq)[name]]
    looked_at = re.search(rf"\bmq\.({'|'.join(same)})\b", code()) is not None
    assert looked_at or name in IGNORED.get(verb, {}), f"{verb} takes {name} and ignores it"


def test_option_when_ignored_by_rule_then_the_page_has_the_rule() -> None:
    page = (ROOT / "docs" / "reference" / "verbs-table.md").read_text(encoding="utf-8")
    for verb, options in IGNORED.items():
        known = dict(ROWS_BY_VERB)[verb]
        for name, rule in options.items():
            assert name in known
            assert f"| {name} | {rule} |" in page


ROWS_BY_VERB = [(verb, [name for one, name in ROWS if one == verb]) for verb in PREFIXES]


# ---- fields

USED, REPORTED, RESERVED, REFUSED, BY_RULE = "used", "told", "reserved", "refused", "by rule"
FIELDS: dict[str, dict[str, str]] = {
    "MQPMO": {
        "options": USED,
        "timeout": RESERVED,
        "context": USED,
        "known_count": REPORTED,
        "unknown_count": REPORTED,
        "invalid_count": REPORTED,
        "resolved_queue_name": REPORTED,
        "resolved_qmgr_name": REPORTED,
        "records_present": REFUSED,
        # without RecsPresent IBM MQ does not look at these four
        "put_record_fields": BY_RULE,
        "put_record_offset": BY_RULE,
        "response_record_offset": BY_RULE,
        "put_record_ptr": BY_RULE,
        "response_record_ptr": BY_RULE,
        "original_message_handle": REFUSED,
        "new_message_handle": REFUSED,
        "action": REFUSED,
        "publication_level": BY_RULE,  # for topics
    },
    "MQGMO": {
        "options": USED,
        "wait_interval": USED,
        "signal1": BY_RULE,  # with MQGMO_SET_SIGNAL alone, which is refused
        "signal2": BY_RULE,
        "resolved_queue_name": REPORTED,
        "match_options": USED,
        "group_status": REPORTED,
        "segment_status": REPORTED,
        "segmentation": REPORTED,
        "reserved1": RESERVED,
        "message_token": USED,
        "returned_length": REPORTED,
        "reserved2": RESERVED,
        "message_handle": REFUSED,
    },
    "MQOD": {
        "object_type": USED,
        "object_name": USED,
        "object_qmgr_name": USED,
        "dynamic_queue_name": USED,
        "alternate_user_id": USED,
        "records_present": REFUSED,
        "known_count": REPORTED,
        "unknown_count": REPORTED,
        "invalid_count": REPORTED,
        "object_record_offset": BY_RULE,  # without RecsPresent
        "response_record_offset": BY_RULE,
        "object_record_ptr": BY_RULE,
        "response_record_ptr": BY_RULE,
        "alternate_security_id": BY_RULE,  # on Windows alone
        "resolved_queue_name": REPORTED,
        "resolved_qmgr_name": REPORTED,
        "object_string": BY_RULE,  # for topics
        "selection_string": REFUSED,
        "resolved_object_string": REPORTED,
        "resolved_type": REPORTED,
    },
}


@pytest.mark.parametrize("module", [mqpmo, mqgmo, mqod], ids=lambda module: module.LAYOUT.name)
def test_field_when_in_a_structure_then_it_has_its_place(module: Any) -> None:
    layout = module.LAYOUT
    assert {field.name for field in layout.fields} == set(FIELDS[layout.name])


@pytest.mark.parametrize(
    ("structure", "field"),
    [(s, f) for s, fields in FIELDS.items() for f, place in fields.items() if place == USED],
)
def test_field_when_used_then_something_looks_at_it(structure: str, field: str) -> None:
    assert re.search(rf"\.{field}\b", code()), f"{structure}.{field}"


PUT_REFUSALS = [
    ({"records_present": 1}, MQRC_RECS_PRESENT_ERROR),
    ({"original_message_handle": 7}, MQRC_HMSG_ERROR),
    ({"new_message_handle": 7}, MQRC_HMSG_ERROR),
    ({"action": 1}, MQRC_ACTION_ERROR),
    ({"action": 99}, MQRC_ACTION_ERROR),
    ({"options": mq.MQPMO_MD_FOR_OUTPUT_ONLY}, MQRC_OPTIONS_ERROR),
]


@pytest.mark.parametrize(("fields", "reason"), PUT_REFUSALS)
@pytest.mark.parametrize("verb", ["MQPUT", "MQPUT1"])
def test_put_when_a_field_asks_for_what_nobody_does_then_it_is_refused(
    fields: dict[str, int], reason: int, verb: str
) -> None:
    with ternmq.memory("QM1") as qmgr, pytest.raises(MQError) as refused:
        mqi(qmgr).request_put(ternmq.Descriptor(), PutOptions(**fields), verb)  # type: ignore[arg-type]
    assert refused.value.reason == reason


def test_get_when_a_handle_is_given_then_it_is_refused() -> None:
    with pytest.raises(MQError) as refused:
        request_get(ternmq.Descriptor(), GetOptions(message_handle=7), 10)
    assert refused.value.reason == MQRC_HMSG_ERROR


def test_structures_when_of_an_older_version_then_later_fields_are_not_looked_at() -> None:
    with ternmq.memory("QM1") as qmgr:
        pmo = PutOptions(version=1, action=9, records_present=9)
        mqi(qmgr).request_put(ternmq.Descriptor(), pmo)
    request_get(ternmq.Descriptor(), GetOptions(message_handle=7, version=3), 10)


# ---- MQOO_RESOLVE_LOCAL_Q and MQPMO_RESOLVE_LOCAL_Q

LOCAL = CMQC.MQOO_RESOLVE_LOCAL_Q
DEFINITIONS = """
DEFINE QLOCAL(XMIT) USAGE(XMITQ)
DEFINE QREMOTE(AWAY) RNAME(THERE) RQMNAME(QM9) XMITQ(XMIT)
DEFINE QLOCAL(HERE)
"""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Networked]:
    one = Networked(tmp_path_factory.mktemp("data"))
    with one:
        with Served.connect(one) as connection:
            connection.mqsc(DEFINITIONS)
        yield one


@pytest.mark.parametrize("through", ["socket", "channel"])
@pytest.mark.parametrize(
    ("name", "options", "expected"),
    [
        ("AWAY", 0, (b"THERE", b"QM9")),
        ("AWAY", LOCAL, (b"XMIT", b"QM1")),
        ("HERE", 0, (b"HERE", b"QM1")),
        ("HERE", LOCAL, (b"HERE", b"QM1")),
    ],
)
def test_names_when_the_local_queue_is_asked_for_then_it_is_reported(
    served: Networked,
    monkeypatch: pytest.MonkeyPatch,
    through: str,
    name: str,
    options: int,
    expected: tuple[bytes, bytes],
) -> None:
    monkeypatch.setenv("TERNMQ_DATA", str(served.data))
    way = ("QM1",) if through == "socket" else ("QM1", CHANNEL, served.conn)
    qmgr = pymqi.connect(*way)
    od = pymqi.OD(ObjectName=name.encode(), Version=CMQC.MQOD_VERSION_3)
    queue = pymqi.Queue(qmgr, od, CMQC.MQOO_OUTPUT | options)
    assert (od.ResolvedQName.strip(), od.ResolvedQMgrName.strip()) == expected
    queue.close()
    queue = pymqi.Queue(qmgr, name, CMQC.MQOO_OUTPUT)
    pmo = pymqi.PMO(Options=options)
    queue.put(b"x", pymqi.MD(), pmo)
    assert (pmo.ResolvedQName.strip(), pmo.ResolvedQMgrName.strip()) == expected
    queue.close()
    qmgr.disconnect()


@pytest.mark.parametrize(
    ("count", "reason"), [(1, MQRC_OBJECT_RECORDS_ERROR), (-1, MQRC_RECS_PRESENT_ERROR)]
)
def test_object_descriptor_when_it_counts_records_then_they_are_missed(
    count: int, reason: int
) -> None:
    od = ObjectDescriptor(object_name="Q", records_present=count)
    with ternmq.memory("QM1") as qmgr, pytest.raises(MQError) as refused:
        mqi(qmgr).open(od, mq.MQOO_OUTPUT)
    assert refused.value.reason == reason


def test_source_when_read_then_there_is_some() -> None:
    assert len(code()) > 1_000_000
    assert Path(SOURCE, "mqi", "table.py").exists()
