"""Goal: rows of docs/reference/conformance-messages.md that a program of IBM's Java client can say
by its MQI and our API cannot: C1 without a handle, structures of version 1 in G25 and S15, counts
of L5.
Method: one connection of the Java process to a queue manager in memory; others put what it gets.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ternmq import constants as mq
from ternmq.base import reasons as rc
from ternmq.base.errors import MQError
from ternmq.codec.mqi.mqgmo import GetOptions
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.mqi.mqod import ObjectDescriptor
from tests.battery.test_extension import FLAGS, GROUP, described, extension
from tests.bindings.bound import JAVA, JAVA_TIMEOUT_S, need
from tests.bindings.java_verbs import JavaVerbs
from tests.bindings.verbs import GetAsked, PutAsked
from tests.unit.api.networked import CHANNEL, Networked, in_memory
from tests.unit.codec.test_properties import header

pytestmark = pytest.mark.timeout(JAVA_TIMEOUT_S)

PAYLOAD = b"data"
HEADED = header(b"<usr><a>1</a></usr>  ") + PAYLOAD
RFH2_MD = Descriptor(format="MQHRF2", encoding=546, ccsid=1208)


@pytest.fixture
def served() -> Iterator[Networked]:
    need(JAVA)
    with in_memory() as made:
        yield made


@pytest.fixture(params=[10, 0], ids=["shared", "not shared"])
def program(request: pytest.FixtureRequest, served: Networked) -> Iterator[JavaVerbs]:
    """Without shared conversations it asks by MQGET, and else for messages ahead of their get."""
    with served.connect() as other:
        count = f"CHLTYPE(SVRCONN) SHARECNV({request.param})"
        assert other.mqsc(f"ALTER CHANNEL({CHANNEL}) {count}")[0].ok
    made = JavaVerbs(served.name, CHANNEL, served.conn, "rows")
    yield made
    made.disconnect()


def opened(program: JavaVerbs, name: str) -> int:
    return program.open(ObjectDescriptor(object_name=name), mq.MQOO_INPUT_SHARED, "", "").number


def asked(options: int, gmo_version: int = 4, md_version: int = 2) -> GetAsked:
    gmo = GetOptions(options=options, match_options=0)
    gmo.version = gmo_version
    return GetAsked(Descriptor(version=md_version), gmo, None, False)


@pytest.mark.parametrize(
    ("control", "headed"),
    [
        ("ALL", [True, True, True, False]),
        ("COMPAT", [True, True, False, False]),
        ("FORCE", [True, True, True, False]),
        ("NONE", [False, False, False, False]),
        ("V6COMPAT", [True, False, False, False]),
    ],
)
def test_propctl_when_there_is_no_handle_then_it_decides(
    served: Networked, program: JavaVerbs, control: str, headed: list[bool]
) -> None:
    """C1: a header of the application, a property for JMS, one that is not, none."""
    with served.connect() as other:
        assert other.mqsc(f"DEFINE QLOCAL(A) PROPCTL({control})")[0].ok
        other.put("A", HEADED, descriptor=RFH2_MD)
        other.put("A", PAYLOAD, properties={"usr.b": "2"})
        other.put("A", PAYLOAD, properties={"x.y": "5"})
        other.put("A", PAYLOAD)
    number = opened(program, "A")
    found = [program.get(number, asked(mq.MQGMO_PROPERTIES_AS_Q_DEF)).data for _ in range(4)]
    assert [one.startswith(b"RFH ") for one in found] == headed
    assert all(one.endswith(PAYLOAD) for one in found)
    if control == "V6COMPAT":
        assert found[0] == HEADED


def test_handle_when_asked_for_then_the_client_has_none(program: JavaVerbs) -> None:
    """C1: with a handle there is nothing to decide; its classes read the MQRFH2 themselves."""
    with pytest.raises(MQError) as refused:
        program.create_handle()
    assert refused.value.reason == rc.MQRC_FUNCTION_NOT_SUPPORTED


@pytest.mark.parametrize(
    ("gmo_version", "md_version", "reason"), [(1, 2, 2256), (4, 1, 2257)], ids=["MQGMO", "MQMD"]
)
def test_logical_order_with_structures_of_version_1_then_refused(
    served: Networked, program: JavaVerbs, gmo_version: int, md_version: int, reason: int
) -> None:
    """G25."""
    with served.connect() as other:
        other.define_queue("A")
        other.put("A", PAYLOAD)
    number = opened(program, "A")
    with pytest.raises(MQError) as refused:
        program.get(number, asked(mq.MQGMO_LOGICAL_ORDER, gmo_version, md_version))
    assert refused.value.reason == reason
    assert program.get(number, asked(mq.MQGMO_LOGICAL_ORDER)).data == PAYLOAD


def test_version_1_when_a_message_is_in_a_group_then_an_mqmde_says_so(
    served: Networked, program: JavaVerbs
) -> None:
    """S15: both ways."""
    with served.connect() as other:
        other.define_queue("A")
    target = program.open(ObjectDescriptor(object_name="A"), mq.MQOO_OUTPUT, "", "").number
    for _ in range(4):
        program.put(target, PutAsked(described(), 0), extension() + PAYLOAD)
    number = opened(program, "A")
    whole = 72 + len(PAYLOAD)
    for length in (None, whole):
        found = program.get(number, asked(0, md_version=1)._replace(length=length))
        assert (found.descriptor.format, found.data) == ("MQHMDE", extension() + PAYLOAD)
        assert found.length == whole
    with pytest.raises(MQError) as refused:
        program.get(number, asked(0, md_version=1)._replace(length=whole - 1))
    assert refused.value.reason == rc.MQRC_TRUNCATED_MSG_FAILED
    cut = asked(mq.MQGMO_ACCEPT_TRUNCATED_MSG, md_version=1)._replace(length=74)
    found = program.get(number, cut)
    assert (found.reason, found.data) == (2079, extension() + PAYLOAD[:2])
    found = program.get(number, asked(0)._replace(length=len(PAYLOAD)))
    md = found.descriptor
    assert (found.data, md.format) == (PAYLOAD, "MQSTR")
    assert (md.group_id, md.msg_seq_number, md.msg_flags) == (GROUP, 3, FLAGS)


def test_version_1_when_a_message_is_in_no_group_then_its_data_comes_alone(
    served: Networked, program: JavaVerbs
) -> None:
    """S15."""
    with served.connect() as other:
        other.define_queue("A")
        other.put("A", PAYLOAD)
    found = program.get(opened(program, "A"), asked(0, md_version=1)._replace(length=len(PAYLOAD)))
    assert (found.data, found.descriptor.format) == (PAYLOAD, "")


@pytest.mark.parametrize(
    ("od", "count", "names", "reason"),
    [
        (ObjectDescriptor(), 2, ["A"], rc.MQRC_OBJECT_RECORDS_ERROR),
        (ObjectDescriptor(), 1, [], rc.MQRC_RECS_PRESENT_ERROR),
        (ObjectDescriptor(object_name="A"), 1, [], rc.MQRC_RECS_PRESENT_ERROR),
        (ObjectDescriptor(object_name="A"), -1, [], rc.MQRC_RECS_PRESENT_ERROR),
        (ObjectDescriptor(object_type=mq.MQOT_PROCESS), 1, ["A"], rc.MQRC_RECS_PRESENT_ERROR),
    ],
    ids=["too few", "none", "none for a queue", "negative", "another type"],
)
def test_list_when_its_records_are_not_as_counted_then_its_reason(
    served: Networked,
    program: JavaVerbs,
    od: ObjectDescriptor,
    count: int,
    names: list[str],
    reason: int,
) -> None:
    """L5: the client looks at the first three itself; no records at all are 2154 to it."""
    with served.connect() as other:
        other.define_queue("A")
    assert program.open_counted(od, count, names) == reason
    assert program.open_counted(ObjectDescriptor(), 1, ["A"]) == 0
