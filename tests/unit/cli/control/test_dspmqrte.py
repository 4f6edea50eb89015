"""Goal: dspmqrte puts the trace-route message that its options describe, shows what it knows, and
says what is wrong with its options. Routes over channels are in tests/integration.

Method: a queue manager in memory; the messages that it puts are read from its queues.
"""

from __future__ import annotations

import json
import re

import pytest

import ternmq
from ternmq import constants as mq
from ternmq.cli import attach
from ternmq.cli.control import dspmqrte
from ternmq.codec.headers.mqxqh import TransmissionHeader
from ternmq.codec.pcf.trace_route import TraceRoute, read_trace_route

Out = pytest.CaptureFixture[str]


@pytest.fixture
def routes(attached: ternmq.QueueManager) -> ternmq.QueueManager:
    attached.define_queue("HERE")
    attached.define_queue("ANSWERS")
    attached.define_queue("QM2", usage="XMITQ")
    attached.mqsc("DEFINE QREMOTE(THERE) RNAME(FAR) RQMNAME(QM2)")
    return attached


def sent(qm: ternmq.QueueManager) -> tuple[TransmissionHeader, TraceRoute]:
    """The message on the transmission queue."""
    with qm.queue("QM2") as outgoing:
        data = outgoing.get().data
    header = TransmissionHeader.unpack(data)
    body = data[mq.MQXQH_CURRENT_LENGTH :]
    md = header.descriptor
    trace = read_trace_route(md.format, body, md.encoding, md.ccsid)
    assert trace is not None
    return header, trace


def test_message_without_options_then_ibm_s_defaults(
    routes: ternmq.QueueManager, capsys: Out
) -> None:
    assert dspmqrte.main(["-m", "QM1", "-q", "THERE", "-w", "0"]) == dspmqrte.INCOMPLETE
    header, trace = sent(routes)
    md = header.descriptor
    assert (header.remote_queue, header.remote_qmgr, md.format) == ("FAR", "QM2", "MQADMIN")
    assert md.report == mq.MQRO_ACTIVITY | mq.MQRO_DISCARD_MSG
    assert (md.expiry, md.persistence, md.reply_to_qmgr) == (600, 0, "QM1")
    assert (trace.detail, trace.recorded) == (mq.MQROUTE_DETAIL_MEDIUM, 1)
    assert trace.accumulation == mq.MQROUTE_ACCUMULATE_NONE
    assert trace.forwarding == mq.MQROUTE_FORWARD_IF_SUPPORTED
    assert trace.delivery == mq.MQROUTE_DELIVER_NO
    assert trace.activities == []
    assert capsys.readouterr().out.splitlines() == [
        "AMQ8653I: DSPMQRTE command started with options '-m QM1 -q THERE -w 0'.",
        "AMQ8659I: DSPMQRTE command successfully put a message on queue 'QM2', queue manager"
        " 'QM1'.",
        "AMQ8666I: Queue 'QM2' on queue manager 'QM1'.",
        "AMQ8673W: The route is not complete: no more information came in 0 seconds.",
        "AMQ8652I: DSPMQRTE command has finished.",
    ]


def test_message_with_all_options_then_as_they_say(routes: ternmq.QueueManager) -> None:
    words = "-q FAR -qm QM2 -ac -ar -d yes -f yes -l yes -p 4 -ro activity,coa,exception"
    words += " -rq ANSWERS -rqm QM9 -s 7 -t high -xs 5 -xp yes -n"
    assert dspmqrte.main(words.split()) == 0
    header, trace = sent(routes)
    md = header.descriptor
    asked = mq.MQRO_ACTIVITY | mq.MQRO_COA | mq.MQRO_EXCEPTION
    assert md.report == asked | mq.MQRO_PASS_DISCARD_AND_EXPIRY
    assert (md.persistence, md.priority) == (1, 4)
    assert 0 < md.expiry <= 50
    assert (md.reply_to_queue, md.reply_to_qmgr) == ("ANSWERS", "QM9")
    assert (trace.detail, trace.activities_max) == (mq.MQROUTE_DETAIL_HIGH, 7)
    assert trace.accumulation == mq.MQROUTE_ACCUMULATE_AND_REPLY
    assert trace.forwarding == mq.MQROUTE_FORWARD_ALL
    assert trace.delivery == mq.MQROUTE_DELIVER_YES
    assert len(trace.activities) == 1


def test_queue_of_this_queue_manager_then_the_route_is_complete_at_once(
    routes: ternmq.QueueManager, capsys: Out
) -> None:
    assert dspmqrte.main(["-q", "HERE"]) == 0
    assert "feedback 284" in capsys.readouterr().out
    with routes.queue("HERE") as queue:
        assert queue.depth == 0
        assert dspmqrte.main(["-q", "HERE", "-d", "yes", "-v", "none"]) == 0
        assert queue.depth == 1
    capsys.readouterr()
    assert dspmqrte.main(["-q", "HERE", "-d", "yes", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    (done,) = found["Activities"]
    (put,) = done["Operations"]
    assert (done["ApplName"], put["OperationType"]) == ("dspmqrte", "Put")
    assert (put["QName"], put["ResolvedQName"], put["QMgrName"]) == ("HERE", "HERE", "QM1")
    assert found["Complete"]


def test_verbosity_then_more_or_less_of_an_activity(
    routes: ternmq.QueueManager, capsys: Out
) -> None:
    shown: dict[str, str] = {}
    for words in ("none", "summary", "outline", "outline message", "outline,traceroute", "all"):
        dspmqrte.main(["-q", "HERE", "-d", "yes", "-v", *words.split()])
        shown[words] = capsys.readouterr().out
    assert "AMQ8666I" not in shown["none"]
    assert "Operation:" not in shown["summary"]
    assert " Operation:\n  OperationType: Put\n  QMgrName: 'QM1'\n" in shown["outline"]
    assert "MQMD:" not in shown["outline"]
    assert "    Format: 'MQADMIN'" in shown["outline message"]
    assert "TraceRoute:\n Detail: 8\n RecordedActivities: 1" in shown["outline,traceroute"]
    assert "OperationDate" not in shown["outline,traceroute"]
    assert re.search(r"OperationDate: '\d{4}-\d\d-\d\d'", shown["all"])


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("", "-q"),
        ("-ts Sport/Results", "a publication is not traced"),
        ("-q HERE -ts Sport/Results", "a publication is not traced"),
        ("-q HERE -v loud", "not loud"),
        ("-q HERE -v summary message", "only -v outline has more words"),
        ("-q HERE -ro none,coa", "-ro takes none"),
        ("-q HERE -ro everything", "-ro takes none"),
        ("-q HERE -ar", "-ar needs -ac"),
        ("-q HERE -n", "-rq is needed"),
        ("-q HERE -l yes", "-rq is needed"),
        ("-q HERE -rqm QM2", "-rqm needs -rq"),
        ("-q HERE -i 12", "48 hexadecimal digits"),
        ("-q HERE -s -1", "-s is 0 or more"),
    ],
)
def test_options_that_do_not_fit_then_what_is_wrong(
    routes: ternmq.QueueManager, capsys: Out, words: str, complaint: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        dspmqrte.main(words.split())
    assert ended.value.code == 39
    assert complaint in capsys.readouterr().err


def test_queue_that_is_not_there_then_its_reason(routes: ternmq.QueueManager, capsys: Out) -> None:
    assert dspmqrte.main(["-q", "NOWHERE"]) == dspmqrte.FAILED
    assert "MQRC_UNKNOWN_OBJECT_NAME" in capsys.readouterr().err
    assert dspmqrte.main(["-q", "FAR", "-qm", "QM7"]) == dspmqrte.FAILED
    assert "MQRC_UNKNOWN_REMOTE_Q_MGR" in capsys.readouterr().err
    assert dspmqrte.main(["-m", "QM7", "-q", "FAR"]) == dspmqrte.FAILED


def test_target_when_it_is_not_to_be_bound_then_it_is_opened_so(
    routes: ternmq.QueueManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[int] = []

    class Noting:
        """The connection of the command, whose opens are noted."""

        def __init__(self, inner: ternmq.Connection) -> None:
            self.inner = inner

        def __enter__(self) -> Noting:
            self.inner.__enter__()
            return self

        def __exit__(self, *raised: object) -> None:
            self.inner.__exit__(None, None, None)

        def __getattr__(self, name: str) -> object:
            return getattr(self.inner, name)

        def queue(self, name: str, **more: object) -> object:
            if name == "THERE":
                opened.append(int(str(more["options"])))
            return self.inner.queue(name, **more)  # type: ignore[arg-type]

    usual = attach.attach
    monkeypatch.setattr(attach, "attach", lambda *given: Noting(usual(*given)))
    words = ["-m", "QM1", "-q", "THERE", "-ro", "none", "-n"]
    assert dspmqrte.main(words) == 0
    assert opened
    assert not any(options & mq.MQOO_BIND_NOT_FIXED for options in opened)
    opened.clear()
    assert dspmqrte.main([*words, "-o"]) == 0
    assert opened
    assert all(options & mq.MQOO_BIND_NOT_FIXED for options in opened)
