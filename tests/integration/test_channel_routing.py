"""Goal: messages find their way through a network of queue managers as the book on
intercommunication draws it: remote queues, queue manager aliases in all uses, several hops.

Method: five queue managers with real channels, shared by the tests of this module; each test has
names of its own. Channels are started after the headers on the transmission queues were read.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator

import pytest

from ternmq import constants as mq
from ternmq.codec.headers.mqdlh import DeadLetterHeader
from ternmq.codec.mqi.mqmd import Descriptor
from tests.integration.channel_network import WAIT_S, Network, origin

NAMES = ("QMA", "QMB", "QMC", "QMD", "QME")
DEAD = "SYSTEM.DEAD.LETTER.QUEUE"


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Network]:
    data = tmp_path_factory.mktemp("network")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TERNMQ_DATA", str(data))
        one = Network(data)
        try:
            for name in NAMES:
                one.make(name)
            for name in ("QMB", "QMC"):
                one.link(name, "QMA")
            yield one
        finally:
            one.end_all()


@pytest.mark.timeout(60)
def test_remote_queue_then_its_transmission_queue_and_others_pass_unchanged(
    network: Network,
) -> None:
    """Figure 19: QA_norm at QMB, from an application and from the adjacent QMC."""
    out = network.link("QMA", "QMB")
    network.mqsc("QMA", "DEFINE QREMOTE('QA_norm') RNAME('QA_norm') RQMNAME(QMB)")
    network.mqsc("QMC", "DEFINE QREMOTE(QMB) RNAME(' ') RQMNAME(QMB) XMITQ(QMA) REPLACE")
    network.mqsc("QMB", "DEFINE QLOCAL('QA_norm')")
    network.put_at("QMA", "QA_norm", "of the application")
    network.put_at("QMC", "QA_norm", "of the adjacent system", "QMB")
    assert network.headers("QMC", "QMA", 1) == [("QA_norm", "QMB")]
    network.run_channel("QMC", "QMC.TO.QMA")
    assert network.headers("QMA", "QMB", 2) == [("QA_norm", "QMB")] * 2
    network.run_channel("QMA", out)
    assert network.got("QMB", "QA_norm", 2) == ["of the application", "of the adjacent system"]


@pytest.mark.timeout(60)
def test_other_transmission_queue_then_an_alias_of_the_receiver_takes_the_flow(
    network: Network,
) -> None:
    """Figures 20 and 21: QA_prio at QMB_priority by TX1; at QMB that name means QMB."""
    out = network.link("QMA", "QMB", "TX1", "A.TX1.B")
    network.mqsc(
        "QMA", "DEFINE QREMOTE('QA_prio') RNAME('QA_prio') RQMNAME('QMB_priority') XMITQ(TX1)"
    )
    network.mqsc(
        "QMB",
        "DEFINE QLOCAL('QA_prio')",
        "DEFINE QREMOTE('QMB_priority') RNAME(' ') RQMNAME(QMB)",
    )
    network.put_at("QMA", "QA_prio", "fast")
    assert network.headers("QMA", "TX1", 1) == [("QA_prio", "QMB_priority")]
    network.run_channel("QMA", out)
    assert network.got("QMB", "QA_prio") == ["fast"]


@pytest.mark.timeout(60)
def test_three_ways_of_passing_messages_then_their_headers_and_queues(network: Network) -> None:
    """Figure 22: by the incoming name, by an alias for another name, by an alias for another
    transmission queue."""
    into = network.link("QMA", "QMB", "TO_B", "A.TO_B.B")
    direct = network.link("QMB", "QMC", "QMC")
    normal = network.link("QMB", "QMD", "TX_D", "B.TX_D.D")
    fast = network.link("QMB", "QMD", "QMD_fast", "B.FAST.D")
    for name in ("QMC", "QMD_norm", "QMD_PRIORITY"):
        network.mqsc("QMA", f"DEFINE QREMOTE('{name}') RNAME(' ') RQMNAME('{name}') XMITQ('TO_B')")
    network.mqsc(
        "QMB",
        "DEFINE QREMOTE('QMD_norm') RNAME(' ') RQMNAME(QMD) XMITQ('TX_D')",
        "DEFINE QREMOTE('QMD_PRIORITY') RNAME(' ') RQMNAME('QMD_PRIORITY') XMITQ('QMD_fast')",
    )
    network.mqsc("QMC", "DEFINE QLOCAL(QB)")
    network.mqsc(
        "QMD", "DEFINE QLOCAL(QB)", "DEFINE QREMOTE('QMD_PRIORITY') RNAME(' ') RQMNAME(QMD)"
    )
    for name in ("QMC", "QMD_norm", "QMD_PRIORITY"):
        network.put_at("QMA", "QB", name, name)
    names = [("QB", "QMC"), ("QB", "QMD_norm"), ("QB", "QMD_PRIORITY")]
    assert network.headers("QMA", "TO_B", 3) == names
    network.run_channel("QMA", into)
    assert network.headers("QMB", "QMC", 1) == [("QB", "QMC")]
    assert network.headers("QMB", "TX_D", 1) == [("QB", "QMD")]
    assert network.headers("QMB", "QMD_fast", 1) == [("QB", "QMD_PRIORITY")]
    network.run_channel("QMB", direct)
    network.run_channel("QMB", fast)
    assert network.got("QMC", "QB") == ["QMC"]
    assert network.got("QMD", "QB") == ["QMD_PRIORITY"]
    network.run_channel("QMB", normal)
    assert network.got("QMD", "QB") == ["QMD_norm"]
    network.mqsc("QMA", "DELETE QREMOTE(QMC)")


@pytest.mark.timeout(60)
def test_separate_flows_to_one_queue_manager_then_each_has_its_channel(network: Network) -> None:
    """Figure 23: two local queues by two channels, incoming flows by a third; one destination."""
    channels = {
        queue: network.link("QMB", "QMC", queue, f"B.{queue.upper()}.C")
        for queue in ("TX_small", "TX_large", "TX_external")
    }
    into = network.link("QMA", "QMB", "OUT_23", "A.OUT_23.B")
    for size in ("small", "large"):
        network.mqsc(
            "QMB",
            f"DEFINE QREMOTE('QB_{size}') RNAME('QB_{size}') RQMNAME(QMC) XMITQ('TX_{size}')",
            f"DEFINE QREMOTE('QMC_{size}') RNAME(' ') RQMNAME(QMC) XMITQ('TX_external')",
        )
        network.mqsc("QMC", f"DEFINE QLOCAL('QB_{size}')")
        name = f"QMC_{size}"
        network.mqsc("QMA", f"DEFINE QREMOTE('{name}') RNAME(' ') RQMNAME('{name}') XMITQ(OUT_23)")
        network.put_at("QMA", f"QB_{size}", "from outside", name)
        network.put_at("QMB", f"QB_{size}", "from here")
    network.run_channel("QMA", into)
    assert network.headers("QMB", "TX_small", 1) == [("QB_small", "QMC")]
    assert network.headers("QMB", "TX_large", 1) == [("QB_large", "QMC")]
    external = network.headers("QMB", "TX_external", 2)
    assert external == [("QB_small", "QMC"), ("QB_large", "QMC")]
    for channel in channels.values():
        network.run_channel("QMB", channel)
    for size in ("small", "large"):
        assert sorted(network.got("QMC", f"QB_{size}", 2)) == ["from here", "from outside"]


@pytest.mark.timeout(60)
def test_concentrated_flows_then_one_channel_and_the_next_one_deals_them_out(
    network: Network,
) -> None:
    """Figure 24: QA at QMC, QB24 at QMD and at QME, all by TX24."""
    adjacent = network.link("QMA", "QMB", "OUT_24", "A.OUT_24.B")
    shared = network.link("QMB", "QMC", "TX24", "B.TX24.C")
    to_d = network.link("QMC", "QMD", "QMD")
    to_e = network.link("QMC", "QME", "QME")
    network.mqsc("QMA", "DEFINE QREMOTE(QME) RNAME(' ') RQMNAME(QME) XMITQ(OUT_24)")
    network.mqsc(
        "QMB",
        "DEFINE QREMOTE(QA24) RNAME(QA24) RQMNAME(QMC) XMITQ(TX24)",
        "DEFINE QREMOTE(QB24) RNAME(QB24) RQMNAME(QMD) XMITQ(TX24)",
        "DEFINE QREMOTE(QME) RNAME(' ') RQMNAME(QME) XMITQ(TX24)",
    )
    network.mqsc("QMC", "DEFINE QLOCAL(QA24)")
    network.mqsc("QMD", "DEFINE QLOCAL(QB24)")
    network.mqsc("QME", "DEFINE QLOCAL(QB24)")
    network.put_at("QMB", "QA24", "for QMC")
    network.put_at("QMB", "QB24", "for QMD")
    network.put_at("QMA", "QB24", "for QME", "QME")
    network.run_channel("QMA", adjacent)
    found = network.headers("QMB", "TX24", 3)
    assert found == [("QA24", "QMC"), ("QB24", "QMD"), ("QB24", "QME")]
    network.run_channel("QMB", shared)
    assert network.got("QMC", "QA24") == ["for QMC"]
    assert network.headers("QMC", "QMD", 1) == [("QB24", "QMD")]
    assert network.headers("QMC", "QME", 1) == [("QB24", "QME")]
    network.run_channel("QMC", to_d)
    network.run_channel("QMC", to_e)
    assert network.got("QMD", "QB24") == ["for QMD"]
    assert network.got("QME", "QB24") == ["for QME"]


@pytest.mark.timeout(60)
def test_diverted_flow_then_the_alias_changes_its_queue_manager(network: Network) -> None:
    """Figure 25: QB25 at QMC comes to QMA, which sends it to QMD by QMB."""
    into = network.link("QME", "QMA", "QMA", "E.TO.A")
    out = network.link("QMA", "QMB", "OUT_25", "A.OUT_25.B")
    onward = network.link("QMB", "QMD", "QMD", "B.TO.D")
    network.mqsc("QME", "DEFINE QREMOTE(QMC) RNAME(' ') RQMNAME(QMC) XMITQ(QMA)")
    network.mqsc("QMA", "DEFINE QREMOTE(QMC) RNAME(' ') RQMNAME(QMD) XMITQ(OUT_25) REPLACE")
    network.mqsc("QMD", "DEFINE QLOCAL(QB25)")
    network.put_at("QME", "QB25", "moved", "QMC")
    assert network.headers("QME", "QMA", 1) == [("QB25", "QMC")]
    network.run_channel("QME", into)
    assert network.headers("QMA", "OUT_25", 1) == [("QB25", "QMD")]
    network.run_channel("QMA", out)
    assert network.headers("QMB", "QMD", 1) == [("QB25", "QMD")]
    network.run_channel("QMB", onward)
    assert network.got("QMD", "QB25") == ["moved"]
    network.mqsc("QMA", "DELETE QREMOTE(QMC)")


@pytest.mark.timeout(60)
def test_class_of_service_when_the_reply_to_alias_is_altered_then_replies_take_the_other_channel(
    network: Network,
) -> None:
    """Figure 26: the programs use QR and QRR, whatever class the administrator chooses."""
    out = network.link("QMA", "QMB", "OUT_26", "A.OUT_26.B")
    first = network.link("QMB", "QMA", "QMA_class1", "B.CLASS1.A")
    network.mqsc(
        "QMA",
        "DEFINE QREMOTE(QA26) RNAME(QA26) RQMNAME(QMB) XMITQ(OUT_26)",
        "DEFINE QREMOTE(QR) RNAME(QRR) RQMNAME('QMA_class1')",
        "DEFINE QREMOTE('QMA_class1') RNAME(' ') RQMNAME(QMA)",
        "DEFINE QLOCAL(QRR)",
    )
    network.mqsc("QMB", "DEFINE QLOCAL(QA26)")
    network.run_channel("QMA", out)
    _ask(network, "one")
    assert _answer(network) == ("QRR", "QMA_class1")
    assert network.headers("QMB", "QMA_class1", 1) == [("QRR", "QMA_class1")]
    network.run_channel("QMB", first)
    assert network.got("QMA", "QRR") == ["answer to one"]

    second = network.link("QMB", "QMA", "QMA_class2", "B.CLASS2.A")
    network.mqsc(
        "QMA",
        "DEFINE QREMOTE('QMA_class2') RNAME(' ') RQMNAME(QMA)",
        "ALTER QREMOTE(QR) RQMNAME('QMA_class2')",
    )
    _ask(network, "two")
    assert _answer(network) == ("QRR", "QMA_class2")
    assert network.headers("QMB", "QMA_class2", 1) == [("QRR", "QMA_class2")]
    network.run_channel("QMB", second)
    assert network.got("QMA", "QRR") == ["answer to two"]


def _ask(network: Network, text: str) -> None:
    network.operators["QMA"].put("QA26", text, reply_to="QR", persistent=True)


def _answer(network: Network) -> tuple[str, str]:
    """The server program: it answers where the request says."""
    (request,) = network.messages("QMB", "QA26")
    md = request.descriptor
    network.put_at("QMB", md.reply_to_queue, f"answer to {request.text}", md.reply_to_qmgr)
    return md.reply_to_queue, md.reply_to_qmgr


@pytest.mark.timeout(60)
def test_three_hops_then_the_message_is_as_it_was_put(network: Network) -> None:
    """QMA, QMB, QMC, QMD: an alias at each hop changes the queue manager of the MQXQH alone."""
    hops = [
        network.link("QMA", "QMB", "HOP1", "HOP1"),
        network.link("QMB", "QMC", "HOP2", "HOP2"),
        network.link("QMC", "QMD", "HOP3", "HOP3"),
    ]
    network.mqsc("QMA", "DEFINE QREMOTE(FAR) RNAME(LAST.Q) RQMNAME(CITY) XMITQ(HOP1)")
    network.mqsc("QMB", "DEFINE QREMOTE(CITY) RNAME(' ') RQMNAME(STREET) XMITQ(HOP2)")
    network.mqsc("QMC", "DEFINE QREMOTE(STREET) RNAME(' ') RQMNAME(HOUSE) XMITQ(HOP3)")
    network.mqsc("QMD", "DEFINE QREMOTE(HOUSE) RNAME(' ') RQMNAME(QMD)", "DEFINE QLOCAL(LAST.Q)")
    md = Descriptor(
        report=mq.MQRO_PASS_CORREL_ID,
        msg_type=mq.MQMT_REQUEST,
        format="MQSTR",
        ccsid=1208,
        priority=3,
        persistence=mq.MQPER_PERSISTENT,
        msg_id=b"M" * 24,
        correl_id=b"C" * 24,
        reply_to_queue="ANSWERS",
        user_id="bob",
        accounting_token=b"A" * 32,
        appl_identity_data="identity",
        put_appl_type=mq.MQAT_UNIX,
        put_appl_name="a program",
        put_date="20200102",
        put_time="03040506",
        appl_origin_data="here",
        group_id=b"G" * 24,
        msg_seq_number=2,
        msg_flags=mq.MQMF_MSG_IN_GROUP,
    )
    sent = md.copy()
    sent.reply_to_qmgr = "QMA"
    options = mq.MQOO_OUTPUT | mq.MQOO_SET_ALL_CONTEXT
    with network.operators["QMA"].queue("FAR", options=options) as far:
        far.put("whole", descriptor=md, options=mq.MQPMO_SET_ALL_CONTEXT)
    places = (("QMA", "HOP1", "CITY"), ("QMB", "HOP2", "STREET"), ("QMC", "HOP3", "HOUSE"))
    for channel, (name, queue, manager) in zip(hops, places, strict=True):
        assert network.headers(name, queue, 1) == [("LAST.Q", manager)]
        network.run_channel(name, channel)
    (message,) = network.messages("QMD", "LAST.Q")
    assert message.text == "whole"
    assert origin(message.descriptor) == origin(sent)


@pytest.mark.timeout(60)
def test_message_for_an_unknown_queue_manager_then_a_dead_letter_or_the_default_queue(
    network: Network,
) -> None:
    """H6: 2087 at the receiver; with DEFXMITQ it goes on from there."""
    into = network.link("QMD", "QME", "OUT_H6", "D.OUT_H6.E")
    network.link("QME", "QMA", "ELSEWHERE", "E.ELSEWHERE.A")
    network.mqsc("QMD", "DEFINE QREMOTE(NOWHERE) RNAME(' ') RQMNAME(NOWHERE) XMITQ(OUT_H6)")
    network.run_channel("QMD", into)
    network.put_at("QMD", "SOME.Q", "lost", "NOWHERE")
    (letter,) = network.messages("QME", DEAD)
    header = DeadLetterHeader.unpack(letter.data)
    assert header.reason == mq.MQRC_UNKNOWN_REMOTE_Q_MGR
    assert (header.destination_queue, header.destination_qmgr) == ("SOME.Q", "NOWHERE")
    network.mqsc("QME", "ALTER QMGR DEFXMITQ(ELSEWHERE)")
    network.put_at("QMD", "SOME.Q", "found", "NOWHERE")
    assert network.headers("QME", "ELSEWHERE", 1) == [("SOME.Q", "NOWHERE")]
    network.mqsc("QME", "ALTER QMGR DEFXMITQ(' ')", "CLEAR QLOCAL(ELSEWHERE)")


# ---- what goes over channels


@pytest.mark.timeout(60)
def test_long_message_with_properties_then_segments_go_over_and_are_one_message_again(
    network: Network,
) -> None:
    """Queues and channel take 40 KB, the message has 90; the getter asks for it as a whole."""
    channel = network.link("QMA", "QMB", "OUT_SEG", "A.OUT_SEG.B")
    network.mqsc("QMA", "DEFINE QREMOTE(LONG.Q) RNAME(LONG.Q) RQMNAME(QMB) XMITQ(OUT_SEG)")
    network.mqsc(
        "QMA",
        "ALTER QLOCAL(OUT_SEG) MAXMSGL(40000)",
        f"ALTER CHANNEL({channel}) CHLTYPE(SDR) MAXMSGL(40000)",
    )
    network.mqsc(
        "QMB",
        "DEFINE QLOCAL(LONG.Q) MAXMSGL(40000)",
        f"ALTER CHANNEL({channel}) CHLTYPE(RCVR) MAXMSGL(40000)",
    )
    data = random.Random(17).randbytes(90_000)
    properties: dict[str, str | int] = {"document": "invoice 17", "size": len(data)}
    md = Descriptor(
        msg_flags=mq.MQMF_SEGMENTATION_ALLOWED, persistence=mq.MQPER_PERSISTENT, format=""
    )
    with network.operators["QMA"].queue("LONG.Q") as target:
        target.put(data, descriptor=md, properties=properties, syncpoint=False)
    network.run_channel("QMA", channel)
    whole = mq.MQGMO_COMPLETE_MSG | mq.MQGMO_ALL_SEGMENTS_AVAILABLE
    with network.operators["QMB"].queue("LONG.Q") as source:
        message = source.get(wait=WAIT_S, options=whole)
        assert source.depth == 0
    assert message.data == data
    assert dict(message.properties) == properties


@pytest.mark.timeout(60)
def test_streaming_queue_of_a_queue_that_a_channel_fills_then_it_has_the_same_messages(
    network: Network,
) -> None:
    channel = network.link("QMA", "QMB", "OUT_COPY", "A.OUT_COPY.B")
    network.mqsc("QMA", "DEFINE QREMOTE(COPIED) RNAME(COPIED) RQMNAME(QMB) XMITQ(OUT_COPY)")
    network.mqsc(
        "QMB",
        "DEFINE QLOCAL(COPIES) MAXDEPTH(2)",
        "DEFINE QLOCAL(COPIED) STREAMQ(COPIES) STRMQOS(MUSTDUP)",
        f"ALTER CHANNEL({channel}) CHLTYPE(RCVR) MRRTY(0)",
    )
    for text in ("one", "two", "three"):
        network.put_at("QMA", "COPIED", text)
    network.run_channel("QMA", channel)
    (letter,) = network.messages("QMB", DEAD)  # one that must be copied and cannot be
    header = DeadLetterHeader.unpack(letter.data)
    assert (header.reason, header.destination_queue) == (mq.MQRC_Q_FULL, "COPIED")
    assert network.got("QMB", "COPIED", 2) == ["one", "two"]
    assert network.got("QMB", "COPIES", 2) == ["one", "two"]


# ---- dspmqrte


@pytest.fixture(scope="module")
def traced(network: Network) -> Network:
    """ROUTE.Q of QMA leads to TRACED at QMC, by QMB; reports come back."""
    network.link("QMA", "QMB", "TRACE.AB", "TRACE.AB")
    network.link("QMB", "QMC", "TRACE.BC", "TRACE.BC")
    network.mqsc("QMA", "DEFINE QREMOTE(ROUTE.Q) RNAME(TRACED) RQMNAME(WAY) XMITQ(TRACE.AB)")
    network.mqsc("QMA", "DEFINE QLOCAL(ROUTE.ANSWERS)")
    network.mqsc("QMB", "DEFINE QREMOTE(WAY) RNAME(' ') RQMNAME(QMC) XMITQ(TRACE.BC)")
    network.mqsc("QMC", "DEFINE QLOCAL(TRACED)")
    for name, channel in (("QMA", "TRACE.AB"), ("QMB", "TRACE.BC")):
        network.run_channel(name, channel)
    for name in ("QMB", "QMC"):
        network.run_channel(name, f"{name}.TO.QMA")
    return network


def route(network: Network, *options: str, status: int = 0) -> list[str]:
    return network.run("dspmqrte", "-m", "QMA", *options, status=status).stdout.splitlines()


@pytest.mark.timeout(60)
def test_dspmqrte_then_a_line_for_each_queue_and_nothing_is_delivered(traced: Network) -> None:
    said = route(traced, "-q", "ROUTE.Q", "-d", "yes", "-w", "20")
    assert said[1:] == [
        "AMQ8659I: DSPMQRTE command successfully put a message on queue 'TRACE.AB', queue manager"
        " 'QMA'.",
        "AMQ8674I: DSPMQRTE command is now waiting for information to display.",
        "AMQ8666I: Queue 'TRACE.AB' on queue manager 'QMA'.",
        "AMQ8666I: Queue 'TRACE.BC' on queue manager 'QMB'.",
        "AMQ8666I: Queue 'TRACED' on queue manager 'QMC'.",
        "AMQ8652I: DSPMQRTE command has finished.",
    ]
    (delivered,) = traced.messages("QMC", "TRACED")
    assert delivered.format == "MQADMIN"
    said = route(traced, "-q", "TRACED", "-qm", "WAY", "-w", "20", status=1)  # no such alias here
    said = route(traced, "-q", "ROUTE.Q", "-w", "20")
    assert said[-2].startswith("AMQ8661W: The trace-route message was discarded")
    assert "'QMC', feedback 284" in said[-2]


@pytest.mark.timeout(60)
def test_dspmqrte_in_json_then_every_activity_with_its_operations(traced: Network) -> None:
    for options in ((), ("-ac", "-ar", "-ro", "none")):
        said = route(traced, "-q", "ROUTE.Q", "-d", "yes", "-w", "20", "--json", *options)
        found = json.loads("\n".join(said))
        assert found["Complete"]
        done = [each["Operations"] for each in found["Activities"]]
        kinds = [[one["OperationType"] for one in each] for each in done]
        hop = [["Get", "Send"], ["Receive", "Put"]]
        assert kinds == [["Put"], *hop, *hop]
        send = found["Activities"][1]["Operations"][1]
        assert (send["ChannelName"], send["XmitQName"]) == ("TRACE.AB", "TRACE.AB")
        assert send["RemoteQMgrName"] == "QMB"
        put = found["Activities"][2]["Operations"][1]
        assert (put["QMgrName"], put["ResolvedQName"]) == ("QMB", "TRACE.BC")
        assert (put["RemoteQName"], put["RemoteQMgrName"]) == ("TRACED", "QMC")
        assert found["TraceRoute"]["RecordedActivities"] == 5
        traced.messages("QMC", "TRACED")


@pytest.mark.timeout(60)
def test_dspmqrte_with_an_outline_then_names_and_identifiers(traced: Network) -> None:
    said = route(traced, "-q", "ROUTE.Q", "-w", "20", "-v", "outline", "identifiers")
    text = "\n".join(said)
    assert text.count("Activity:") == 5
    assert "  OperationType: Receive" in said
    assert "  ChannelName: 'TRACE.BC'" in said
    assert text.count("    MsgId: X'") > 5
    assert "PutApplName" not in text
    assert "    PutApplName: 'dspmqrte'" in route(traced, "-q", "ROUTE.Q", "-w", "20", "-v", "all")


@pytest.mark.timeout(60)
def test_dspmqrte_when_only_put_then_it_shows_the_route_later(traced: Network) -> None:
    said = route(traced, "-q", "ROUTE.Q", "-n", "-rq", "ROUTE.ANSWERS")
    msg_id = re.findall("X'([0-9A-F]{48})'", said[2])[0]
    traced.has("QMA", "ROUTE.ANSWERS", 4)
    for option in (["-b"], []):
        said = route(traced, "-q", "ROUTE.ANSWERS", "-i", msg_id, *option)
        assert [line for line in said if "AMQ8666I" in line] == [
            "AMQ8666I: Queue 'TRACE.BC' on queue manager 'QMB'.",
        ]
    assert traced.depth("QMA", "ROUTE.ANSWERS") == 0


@pytest.mark.timeout(60)
def test_dspmqrte_when_activities_are_limited_then_the_message_ends_on_the_way(
    traced: Network,
) -> None:
    said = route(traced, "-q", "ROUTE.Q", "-s", "2", "-w", "20")
    assert "'QMB', feedback 282" in said[-2]
    said = route(traced, "-q", "TRACED", "-m", "QMC")
    assert "'QMC', feedback 284" in said[-2]
