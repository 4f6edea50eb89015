"""Goal: fields that docs/operations/smf.md lists as filled are filled, and those that it lists as
empty are not.

Method: a queue manager on disk with applications over the network and the local socket that do a
little of everything; fields that have a value in some record are compared with the page. What such
traffic does not bring about is named in NOT_HERE.
"""

from __future__ import annotations

import io
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import ternmq
from ternmq import SMFDestination
from ternmq import constants as mq
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.smf.decoding import Record
from ternmq.codec.smf.reader import Reader
from ternmq.outlets.measurement import MeasureSettings
from ternmq.runtime.starting import log_parameters, start_in_folder
from ternmq.telemetry.smf.counter_rows import ROWS
from tests.battery.places import Task, until
from tests.unit.api.intervals import end_intervals
from tests.unit.api.networked import Networked
from tests.unit.api.served import Served

PAGE = Path(__file__).parents[3] / "docs" / "operations" / "smf.md"
PERSISTENT = Descriptor(persistence=mq.MQPER_PERSISTENT)
# What the page lists as filled and this traffic leaves at zero, and why.
NOT_HERE: dict[str, set[str]] = {
    "the one pool has the number 0": {"qpstpool", "qis1bpno", "qqstbpid", "nbuffpool"},
    "the high half of a connection's number": {"wtasmthr"},
    "nothing need lie there for a second": {"qqstmage"},
    "the log has room": {"qjstwtb"},
    "the log does not come to its next file": {"qjstcp1n"},
    "only IBM's clients tell of callbacks": {
        "qmstcb",
        "qmstctl",
        "wtasctct",
        "wtasctet",
        "wtasctn",
    },
    "the channel has no TLS": {"qcstslcn", "qcstslcs"},
    "the channel does not compress": {"qcstcpra"},
    "no message channel runs": {
        "qcstbatc",
        "qcstcbdl",
        "qcstcbit",
        "qcstcbsz",
        "qcstetav",
        "qcstetdt",
        "qcstetmx",
        "qcstfuba",
        "qcstnbyt",
        "qcstnpby",
        "qcstnpmg",
        "qcstntav",
        "qcstntdt",
        "qcstntmx",
        "qcstptrc",
        "qcstqetc",
    },
    "no subscription expires": {"qtstsexp"},
    "all were removed before the interval began or ended": {"qtstslow1", "qtstslow2"},
    "a race between getters": {"qqstrdgw", "qqstrdbw"},
    "nothing has to wait for a queue to be loaded or for room": {
        "getsuset",
        "getsusn",
        "closesuet",
        "closesun",
        "put1suset",
        "put1susn",
        "putsuset",
        "putsusn",
    },
}


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Networked]:
    settings = MeasureSettings(smf=(SMFDestination("MEM", "Memory"),))
    log = log_parameters("circular", 3, 2, 256, False)
    started = start_in_folder(tmp_path, "QM1", True, log, None, None, False, settings)
    with Networked(tmp_path, "QM1", started) as served:
        yield served


def fields_of_page() -> tuple[set[str], set[str]]:
    """The fields in its tables, and those that it lists as empty."""
    text = PAGE.read_text(encoding="utf-8").partition("<!-- fields: begin")[2]
    listed = re.findall(r"^Zero or empty: (.*)\.$", text, re.MULTILINE)
    empty = {name for line in listed for name in re.findall(r"`([^`]+)`", line)}
    return set(re.findall(r"^\| `([^`]+)` \|", text, re.MULTILINE)), empty


def values_of(record: Record) -> Iterator[tuple[str, object]]:
    yield from record.header.items()
    for section in ROWS:
        for values in record.values_of(section) if section != "QWHC" else ():
            for name, value in values.items():
                if isinstance(value, list | tuple):
                    for at, one in enumerate(value):
                        inner = one.items() if isinstance(one, dict) else ()
                        yield from ((f"{name}[{at}].{each}", reported) for each, reported in inner)
                else:
                    yield name, value


def has_value(value: object) -> bool:
    if isinstance(value, bytes):
        return any(value)
    if isinstance(value, str):
        return bool(value.strip(" \0"))
    return bool(value)


def setup(admin: ternmq.Connection) -> None:
    for command in (
        "ALTER QMGR STATQ(ON) ACCTQ(ON) STATCHL(HIGH) MONQ(HIGH)",
        "START TRACE(STAT) CLASS(1,2,3,4,5)",
        "START TRACE(ACCTG) CLASS(1,3,4)",
        "DEFINE QLOCAL(COPIES)",
        "DEFINE QLOCAL(INIT)",
        "DEFINE QLOCAL(EMPTY)",
        "DEFINE QLOCAL(REST)",
        "DEFINE PROCESS(P) APPLICID('true')",
        "DEFINE QLOCAL(A) STREAMQ(COPIES) MAXDEPTH(500)",
        "DEFINE QLOCAL(T) TRIGGER TRIGTYPE(EVERY) INITQ(INIT) PROCESS(P)",
        "DEFINE QLOCAL(DEEP) NPBUFFER(65536)",
        "ALTER QLOCAL(COPIES) DESCR('altered')",
        "DEFINE QLOCAL(GONE)",
        "DELETE QLOCAL(GONE)",
    ):
        assert all(one.ok for one in admin.mqsc(command)), command


def puts_and_gets(one: ternmq.Connection) -> None:
    with one.queue("A") as queue:
        for size in (10, 500, 5000, 50_000):
            queue.put(b"x" * size)
            queue.put(b"x" * size, persistent=True)
            assert queue.get()
            assert queue.get()
        one.put("A", b"x")
        one.put("A", b"x", descriptor=PERSISTENT)
        assert list(queue.browse())
        assert list(queue.browse(correl_id=b"nobody")) == []
        queue.put(b"x", correl_id=b"mine")
        assert list(queue.browse(correl_id=b"mine"))
        queue.get(correl_id=b"mine")  # passes over the others
        assert queue.try_get(msg_id=b"1" * 24) is None
        queue.inquire(mq.MQIA_MAX_Q_DEPTH)
        queue.set({mq.MQIA_INHIBIT_PUT: mq.MQQA_PUT_INHIBITED})
        with pytest.raises(ternmq.MQError):
            queue.put(b"refused")
        with pytest.raises(ternmq.MQError):
            one.put("A", b"refused")
        queue.set({mq.MQIA_INHIBIT_PUT: mq.MQQA_PUT_ALLOWED})
        one.status()
    with one.queue("A", selector="colour = 'red'") as red:
        assert red.try_get() is None


def gets_that_find_nothing(one: ternmq.Connection) -> None:
    both = mq.MQOO_INPUT_SHARED | mq.MQOO_OUTPUT | mq.MQOO_BROWSE
    with one.queue("EMPTY", options=both) as queue:
        queue.put(b"soon gone", expiry=0.1)
        queue.put(b"too long", persistent=False)
        for options in (mq.MQGMO_NONE, mq.MQGMO_BROWSE_FIRST):
            with pytest.raises(ternmq.MQError):
                queue.get(msg_id=b"2" * 24, options=options)
            with pytest.raises(ternmq.MQError):
                queue.get(max_length=1, options=options)
        assert queue.try_get(correl_id=b"nobody", wait=0.2) is None  # and time passes
        wait = mq.MQGMO_BROWSE_FIRST
        assert queue.try_get(correl_id=b"nobody", wait=0.05, options=wait) is None
        for message in queue:
            assert message.text == "too long"
        lock = mq.MQGMO_BROWSE_FIRST | mq.MQGMO_LOCK
        queue.put(b"locked")
        queue.get(options=lock)
        queue.try_get(options=mq.MQGMO_UNLOCK)
        queue.get()


def units(one: ternmq.Connection) -> None:
    with one.queue("A") as queue:
        for persistent in (False, True):
            with one.unit_of_work():
                queue.put(b"inside", persistent=persistent)
            one.begin()
            queue.put(b"inside", persistent=persistent)
            queue.get()
            one.backout()
    one.begin()
    one.put("A", b"prepared", descriptor=PERSISTENT)
    xid = ternmq.XID(1, b"global", b"branch")
    one.prepare(xid)
    one.commit_prepared(xid)


def deep(one: ternmq.Connection, local: ternmq.Connection) -> None:
    """A queue that leaves memory, and comes back by segments."""
    with one.queue("DEEP") as queue:
        ids = [queue.put(b"x" * 2000, persistent=False) for _ in range(400)]
        local.checkpoint()
        assert queue.get(msg_id=ids[300])
        while queue.try_get() is not None:
            pass


def topics(one: ternmq.Connection, local: ternmq.Connection) -> None:
    """Publications with and without subscribers, subscriptions of all kinds."""
    assert local.mqsc("DEFINE SUB(S) TOPICSTR('sport/#') DEST(REST)")[0].ok
    with one.subscribe("sport/+"), one.subscribe("sport/#", durable="D") as lasting:
        with one.topic("sport/football") as topic:
            for persistent in (False, True):
                topic.put(b"x", persistent=persistent, retain=True)
        one.publish("sport/tennis", b"x")
        one.publish("nobody", b"x")
        lasting.close(remove=True)
    with one.subscribe("sport/football", on_request=True) as asked:
        assert asked.request_publications() == 1


def hand_over(place: Networked, one: ternmq.Connection) -> None:
    """A message goes straight to who waits for it, by MQPUT and by MQPUT1."""
    waiting = place.started.shell.engine.kernel.waiting
    with place.connect() as other, other.queue("EMPTY") as theirs, one.queue("EMPTY") as queue:
        puts: list[Callable[[], object]] = [
            lambda: queue.put(b"x"),
            lambda: one.put("EMPTY", b"x"),
        ]
        for put in puts:
            getter = Task(lambda: theirs.get(wait=-1).data)
            # By name: the command server may wait on its own queue.
            until(lambda: "EMPTY" in [c.handle.resolved_name for c in list(waiting.values())])
            put()
            assert getter.outcome() == b"x"


def test_fields_when_a_queue_manager_works_then_those_of_the_page_have_values(
    place: Networked,
) -> None:
    shell = place.started.shell
    with place.connect() as admin, place.connect() as stays:
        setup(admin)
        with place.connect(application="worker") as one, Served.connect(place) as local:
            monitor = local.queue("INIT", options=mq.MQOO_INPUT_SHARED)
            one.put("T", b"triggers")
            with one.queue("T") as queue:
                queue.put(b"triggers")
            one.put("REST", b"x", descriptor=PERSISTENT)
            for application in (one, local):
                puts_and_gets(application)
            gets_that_find_nothing(one)
            units(one)
            topics(one, local)
            deep(one, local)
            for _ in range(3):
                local.checkpoint()  # what nobody has open leaves memory
            one.queue("REST").close()
            with place.connect(channel="ALONE.SVRCONN") as ends:
                ends.put("A", b"x")
            hand_over(place, one)
            monitor.close()
            left_open = one.queue("A")
            left_open.depth  # noqa: B018  with its handle the connection ends
        output = stays.queue("A", options=mq.MQOO_OUTPUT | mq.MQOO_INPUT_SHARED)
        end_intervals(shell)
        stays.begin()
        output.put(b"uncommitted")
        end_intervals(shell)
        stays.backout()
        output.close()
    filled: dict[str, bool] = defaultdict(bool)
    for record in records_of(place):
        for name, value in values_of(record):
            filled[name] |= has_value(value)
    found = {name for name, is_filled in filled.items() if is_filled}
    listed, empty = fields_of_page()
    left = {name for names in NOT_HERE.values() for name in names}
    assert left <= listed
    assert sorted(listed - found - left) == []
    assert sorted(empty & found) == []


def records_of(place: Networked) -> list[Record]:
    with Served.connect(place) as local:
        return list(Reader(io.BytesIO(b"".join(local.smf_read(1).records)).read))
