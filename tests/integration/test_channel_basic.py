"""Goal: message channels between two queue managers that are processes of their own: pairings,
restarts, stops, links that break, TLS. The ids are those of docs/reference/conformance-channels.md.

Method: real processes, shared by the tests of this file; a proxy where a link breaks.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import ternmq
from ternmq.base import reasons as rc
from ternmq.testing.proxy import CUT, STALL, TO_SERVER, Fault, Proxy
from tests.battery.places import until
from tests.integration.channel_processes import FIRST, SECOND, Pair
from tests.unit.network.certificates import Certificates

ANY = "ANY_TLS12_OR_HIGHER"


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    data = tmp_path_factory.mktemp("pair")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TERNMQ_DATA", str(data))
        made = Pair(data)
        try:
            made.make(FIRST)
            made.make(SECOND)
            yield made
        finally:
            made.close()


# ---- types, start and pairing


def test_a1_sender_when_started_then_messages_arrive_as_they_were_put(pair: Pair) -> None:
    channel = pair.channel()
    pair.mqsc(FIRST, f"DEFINE QLOCAL({channel.target}) DEFPSIST(YES)")
    fields: dict[str, Any] = {"priority": 3, "correl_id": b"c" * 24, "reply_to": "ANSWERS"}
    ids = channel.put(b"1", b"2", b"3", **fields)
    with pair.connect(FIRST) as connection, connection.queue(channel.target) as queue:
        queue.put(b"1", **fields)
        stayed = queue.get().descriptor  # as it is without a channel
    channel.start()
    found = channel.get(3)
    assert [one.data for one in found] == [b"1", b"2", b"3"]
    assert [one.msg_id for one in found] == ids
    for one in found:
        md = one.descriptor
        md.msg_id, md.put_time = stayed.msg_id, stayed.put_time
        assert md.reply_to_qmgr == FIRST
        assert md == stayed
    channel.runs()
    assert channel.depth() == 0
    assert pair.status(FIRST, channel.name)["RQMNAME"] == SECOND
    assert pair.status(SECOND, channel.name, "ALL")["RQMNAME"] == FIRST


def test_a2_server_when_started_then_it_sends_to_a_receiver(pair: Pair) -> None:
    channel = pair.channel()
    pair.mqsc(
        FIRST,
        f"DELETE CHANNEL({channel.name})",
        f"DEFINE CHANNEL({channel.name}) CHLTYPE(SVR) CONNAME('{pair.conn(SECOND)}')"
        f" XMITQ({channel.transmission_queue})",
    )
    channel.put(b"1")
    channel.start()
    assert channel.get(1)[0].data == b"1"


def test_a5_requester_when_started_then_the_sender_calls_back(pair: Pair) -> None:
    channel = pair.channel()
    pair.mqsc(
        SECOND,
        f"DELETE CHANNEL({channel.name})",
        f"DEFINE CHANNEL({channel.name}) CHLTYPE(RQSTR) CONNAME('{pair.conn(FIRST)}')",
    )
    channel.put(b"1")
    pair.mqsc(SECOND, f"START CHANNEL({channel.name})")
    assert channel.get(1)[0].data == b"1"
    channel.runs()


@pytest.mark.parametrize(
    ("there", "here", "both"),
    [
        ("CHLTYPE(SDR) CONNAME('h') XMITQ(X)", "AMQ9547E", "AMQ9502E"),
        ("CHLTYPE(SVR) XMITQ(X)", "AMQ9547E", "AMQ9502E"),
        ("CHLTYPE(SVRCONN)", "AMQ9547E", "AMQ9502E"),
        ("", "AMQ9520E", "AMQ9519E"),
    ],
)
def test_a6_sender_when_the_other_end_does_not_fit_then_both_log_it(
    pair: Pair, there: str, here: str, both: str
) -> None:
    channel = pair.channel()
    pair.mqsc(SECOND, f"DELETE CHANNEL({channel.name})")
    if there:
        pair.mqsc(SECOND, f"DEFINE CHANNEL({channel.name}) {there}")
    channel.start()
    until(lambda: f"{here}:" in pair.log(FIRST) and f"'{channel.name}'" in pair.log(FIRST))
    until(lambda: f"{both}:" in pair.log(SECOND) and f"'{channel.name}'" in pair.log(SECOND))
    channel.stop("STATUS(INACTIVE)", "MODE(FORCE)")


def test_a6_client_when_it_calls_a_receiver_then_the_type_is_wrong(pair: Pair) -> None:
    channel = pair.channel()
    with pytest.raises(ternmq.MQError) as refused:
        ternmq.connect(SECOND, channel=channel.name, conn=pair.conn(SECOND))
    assert refused.value.reason in (rc.MQRC_CHANNEL_CONFIG_ERROR, rc.MQRC_UNKNOWN_CHANNEL_NAME)


def test_a7_receiver_when_started_then_it_is_only_enabled(pair: Pair) -> None:
    channel = pair.channel()
    channel.put(b"1")
    pair.mqsc(SECOND, f"STOP CHANNEL({channel.name})", f"START CHANNEL({channel.name})")
    assert channel.status(SECOND) == ""
    channel.start()
    assert channel.get(1)[0].data == b"1"


# ---- sizes


def test_b6_message_when_it_is_long_then_it_arrives_byte_for_byte(pair: Pair) -> None:
    most = 104_857_600
    for name in (FIRST, SECOND):
        pair.mqsc(name, f"ALTER QMGR MAXMSGL({most})")
    channel = pair.channel(f"MAXMSGL({most})", f"MAXMSGL({most})")
    pair.mqsc(FIRST, f"ALTER QLOCAL({channel.transmission_queue}) MAXMSGL({most})")
    pair.mqsc(SECOND, f"ALTER QLOCAL({channel.target}) MAXMSGL({most})")
    data = os.urandom(1 << 20)
    channel.put(data, data * 4)
    channel.start()
    first, second = channel.get(2)
    assert first.data == data
    assert second.data == data * 4
    shown = pair.status(FIRST, channel.name, "ALL")
    assert int(shown["BUFSSENT"]) > 5 * (1 << 20) // 32_748


# ---- restarts, and links that break


def test_c4_channel_when_both_ends_restart_then_numbers_go_on(pair: Pair) -> None:
    channel = pair.channel("DISCINT(1)")
    channel.put(*[b"%d" % number for number in range(7)])
    channel.start()
    channel.arrived(7)
    until(lambda: channel.status() == "")
    saved = [pair.status(name, channel.name, "SAVED", "ALL") for name in (FIRST, SECOND)]
    for shown in saved:
        assert (shown["LSTSEQNO"], shown["INDOUBT"], shown["CURMSGS"]) == ("7", "NO", "0")
    assert saved[0]["LSTLUWID"] == saved[1]["LSTLUWID"]
    for name in (FIRST, SECOND):
        pair.end(name, "-i")
    for name in (FIRST, SECOND):
        pair.start(name)
    pair.mqsc(FIRST, f"ALTER CHANNEL({channel.name}) CHLTYPE(SDR) CONNAME('{pair.conn(SECOND)}')")
    channel.put(b"8")
    channel.start()
    channel.arrived(8)
    until(lambda: pair.status(FIRST, channel.name, "SAVED", "ALL").get("LSTSEQNO") == "8")


def test_d2_link_when_it_breaks_before_the_commit_then_all_come_once(pair: Pair) -> None:
    with Proxy(("127.0.0.1", pair.ports[SECOND])) as proxy:
        channel = pair.channel(conn=proxy.conn)
        channel.start()
        channel.runs()
        # five messages, then the request to confirm them: that one is cut
        proxy.break_at(Fault(TO_SERVER, proxy.segments[TO_SERVER] + 5, CUT))
        data = [b"%d" % number for number in range(5)]
        channel.put(*data)
        assert proxy.wait_until_struck(10)
        assert [one.data for one in channel.get(5)] == data
        until(lambda: channel.depth() == 0)
        assert pair.depth(SECOND, channel.target) == 0
        shown = pair.status(FIRST, channel.name, "SAVED", "ALL")
        assert (shown["INDOUBT"], shown["LSTSEQNO"]) == ("NO", "5")
        channel.stop()


def test_d3_sender_when_it_is_killed_then_all_messages_come_once(pair: Pair) -> None:
    with Proxy(("127.0.0.1", pair.ports[SECOND])) as proxy:
        channel = pair.channel(conn=proxy.conn)
        channel.start()
        channel.runs()
        proxy.break_at(Fault(TO_SERVER, proxy.segments[TO_SERVER] + 3, STALL))
        channel.put(b"1", b"2", b"3")
        assert proxy.wait_until_struck(10)
        pair.kill(FIRST)
        pair.start(FIRST)
        assert pair.status(FIRST, channel.name, "SAVED", "ALL")["INDOUBT"] == "YES"
    pair.mqsc(FIRST, f"ALTER CHANNEL({channel.name}) CHLTYPE(SDR) CONNAME('{pair.conn(SECOND)}')")
    pair.operator(SECOND).mqsc(f"STOP CHANNEL({channel.name}) MODE(FORCE) STATUS(INACTIVE)")
    until(lambda: channel.status(SECOND) == "")
    channel.start()
    assert [one.data for one in channel.get(3)] == [b"1", b"2", b"3"]
    assert pair.depth(SECOND, channel.target) == 0


# ---- stops


def test_g1_stop_when_quiesced_then_the_batch_ends_first(pair: Pair) -> None:
    channel = pair.channel("BATCHSZ(200) BATCHINT(60000)", "BATCHSZ(200)")
    channel.put(*[b"%d" % number for number in range(100)])
    channel.start()
    until(lambda: pair.status(FIRST, channel.name, "ALL").get("CURMSGS") == "100")
    channel.stop()
    until(lambda: channel.status() == "STOPPED")
    assert pair.depth(SECOND, channel.target) == 100
    (shown,) = pair.operator(FIRST).mqsc(f"DISPLAY QLOCAL({channel.transmission_queue}) ALL")
    assert str(shown["GET"]) == "DISABLED"
    assert "NOTRIGGER" in shown.keys()  # noqa: SIM118 - an answer is not a mapping
    assert pair.status(FIRST, channel.name, "SAVED", "ALL")["INDOUBT"] == "NO"


def test_g2_stop_when_forced_then_the_batch_is_sent_once_later(pair: Pair) -> None:
    channel = pair.channel("BATCHSZ(200) BATCHINT(60000)", "BATCHSZ(200)")
    data = [b"%d" % number for number in range(100)]
    channel.put(*data)
    channel.start()
    until(lambda: pair.status(FIRST, channel.name, "ALL").get("CURMSGS") == "100")
    channel.stop("MODE(FORCE)")
    until(lambda: channel.status() == "STOPPED")
    pair.mqsc(FIRST, f"ALTER CHANNEL({channel.name}) CHLTYPE(SDR) BATCHINT(0)")
    channel.start()
    assert [one.data for one in channel.get(100)] == data
    assert pair.depth(SECOND, channel.target) == 0


def test_g8_partner_when_it_is_frozen_then_the_sender_gives_up(pair: Pair) -> None:
    channel = pair.channel("HBINT(1)", "HBINT(1)")
    channel.start()
    channel.runs()
    pid = pair.pid(SECOND)
    os.kill(pid, signal.SIGSTOP)
    begun_s = time.monotonic()
    try:
        until(lambda: channel.status() == "RETRYING")
        assert 1.0 <= time.monotonic() - begun_s <= 4.0
    finally:
        os.kill(pid, signal.SIGCONT)
    channel.stop()


def test_g10_sender_when_it_calls_again_then_the_channel_is_in_use_for_a_while(pair: Pair) -> None:
    with Proxy(("127.0.0.1", pair.ports[SECOND])) as proxy:
        channel = pair.channel("HBINT(1)", "HBINT(1)", conn=proxy.conn)
        channel.start()
        channel.runs()
        proxy.break_at(Fault(TO_SERVER, proxy.segments[TO_SERVER], STALL))
        channel.put(b"1")
        assert proxy.wait_until_struck(10)
        channel.stop("MODE(TERMINATE)")
        until(lambda: channel.status() == "STOPPED")
        channel.start()
        until(lambda: f"Channel '{channel.name}' is in use" in pair.log(SECOND))
        until(lambda: channel.status() == "RETRYING")
        # then the receiver notices that nothing comes, and ends
        assert channel.get(1)[0].data == b"1"
        channel.stop()


# ---- expiry


def test_h8_message_when_it_waits_then_it_arrives_with_what_is_left_or_never(pair: Pair) -> None:
    channel = pair.channel()
    channel.put(b"gone", expiry=0.1)
    channel.put(b"kept", expiry=60.0)
    put_s = time.monotonic()
    until(lambda: time.monotonic() - put_s > 1.0)
    channel.start()
    (found,) = channel.get(1)
    assert found.data == b"kept"
    assert 500 < found.descriptor.expiry <= 590
    assert pair.depth(SECOND, channel.target) == 0


# ---- TLS


@pytest.fixture(scope="module")
def secured(pair: Pair, tmp_path_factory: pytest.TempPathFactory) -> Pair:
    certificates = Certificates()
    folder = tmp_path_factory.mktemp("keys")
    for name, one in ((FIRST, certificates.client), (SECOND, certificates.queue_manager)):
        own = folder / name
        own.mkdir()
        one.private_key_and_cert_chain_pem.write_to_path(own / f"ibmwebspheremq{name.lower()}.pem")
        certificates.authority.cert_pem.write_to_path(own / "authority.crt")
        pair.mqsc(name, f"ALTER QMGR SSLKEYR('{own}')", "REFRESH SECURITY TYPE(SSL)")
    bare = folder / "bare"
    bare.mkdir()
    certificates.authority.cert_pem.write_to_path(bare / "authority.crt")
    return pair


def test_j5_tls_when_both_ends_agree_then_messages_flow(secured: Pair) -> None:
    pair = secured
    channel = pair.channel(f"SSLCIPH({ANY}) SSLPEER('CN=QM1')", f"SSLCIPH({ANY})")
    channel.put(b"secret")
    channel.start()
    assert channel.get(1)[0].data == b"secret"
    shown = pair.status(FIRST, channel.name, "ALL")
    assert shown["SECPROT"].startswith("TLSV1")


@pytest.mark.parametrize(
    ("here", "there", "logged_here", "logged_there"),
    [
        (f"SSLCIPH({ANY})", "", "AMQ", "AMQ9635E"),
        ("", f"SSLCIPH({ANY})", "AMQ", "AMQ9639E"),
        (
            "SSLCIPH(TLS_AES_128_GCM_SHA256)",
            "SSLCIPH(ECDHE_RSA_AES_256_GCM_SHA384)",
            "AMQ9616E",
            "AMQ9616E",
        ),
        (f"SSLCIPH({ANY}) SSLPEER('CN=OTHER')", f"SSLCIPH({ANY})", "AMQ9636E", ""),
        (f"SSLCIPH({ANY})", f"SSLCIPH({ANY}) SSLPEER('CN=OTHER')", "AMQ", "AMQ9636E"),
    ],
)
def test_j5_tls_when_the_ends_differ_then_it_is_refused_and_logged(
    secured: Pair, here: str, there: str, logged_here: str, logged_there: str
) -> None:
    pair = secured
    lengths = [len(pair.log(name)) for name in (FIRST, SECOND)]
    channel = pair.channel(here, there)
    channel.put(b"secret")
    channel.start()
    ended = f"Channel '{channel.name}' to host"
    until(lambda: ended in pair.log(FIRST))
    assert f"{logged_here}" in pair.log(FIRST)[lengths[0] :]
    until(lambda: logged_there in pair.log(SECOND)[lengths[1] :])
    assert pair.depth(SECOND, channel.target) == 0
    with contextlib.suppress(AssertionError):
        channel.stop("STATUS(INACTIVE)")


def test_j5_tls_when_no_certificate_is_shown_then_it_is_refused(
    secured: Pair, tmp_path: Path
) -> None:
    pair = secured
    shown = pair.operator(FIRST).mqsc("DISPLAY QMGR SSLKEYR")[0]
    before = str(shown["SSLKEYR"])
    bare = Path(before).parent / "bare"
    pair.mqsc(FIRST, f"ALTER QMGR SSLKEYR('{bare}')", "REFRESH SECURITY TYPE(SSL)")
    try:
        channel = pair.channel(f"SSLCIPH({ANY})", f"SSLCIPH({ANY}) SSLCAUTH(REQUIRED)")
        channel.start()
        until(lambda: "AMQ9637E" in pair.log(SECOND))
        until(lambda: f"Channel '{channel.name}' to host" in pair.log(FIRST))
        channel.stop("STATUS(INACTIVE)")
    finally:
        pair.mqsc(FIRST, f"ALTER QMGR SSLKEYR('{before}')", "REFRESH SECURITY TYPE(SSL)")


# ---- the end of a queue manager


@pytest.mark.parametrize("options", [(), ("-i",), ("-p",)])
def test_endmqm_when_channels_run_then_it_ends_and_nothing_is_lost(
    pair: Pair, options: tuple[str, ...]
) -> None:
    channel = pair.channel("BATCHSZ(200) BATCHINT(60000)", "BATCHSZ(200)")
    data = [b"%d" % number for number in range(50)]
    channel.put(*data)
    channel.start()
    until(lambda: pair.status(FIRST, channel.name, "ALL").get("CURMSGS") == "50")
    pair.end(FIRST, *options)
    until(lambda: channel.status(SECOND) == "")
    pair.start(FIRST)
    if not options:
        assert pair.depth(SECOND, channel.target) == 50  # the batch ended first
    pair.mqsc(FIRST, f"ALTER CHANNEL({channel.name}) CHLTYPE(SDR) BATCHINT(0)")
    channel.start()
    assert [one.data for one in channel.get(50)] == data
    assert pair.depth(SECOND, channel.target) == 0


@pytest.mark.parametrize("ends", [FIRST, SECOND])
def test_endmqm_when_the_receiver_is_paused_then_it_ends_and_nothing_is_lost(
    pair: Pair, ends: str
) -> None:
    channel = pair.channel(receiver="MRTMR(600000)")
    pair.mqsc(SECOND, f"ALTER QLOCAL({channel.target}) PUT(DISABLED)")
    channel.put(b"1")
    channel.start()
    until(lambda: channel.status(SECOND) == "PAUSED")
    pair.end(ends)
    pair.start(ends)
    pair.mqsc(SECOND, f"ALTER QLOCAL({channel.target}) PUT(ENABLED)")
    channel.stop("MODE(FORCE)")
    until(lambda: channel.status() == "STOPPED" and channel.status(SECOND) == "")
    given = f"CHLTYPE(SDR) CONNAME('{pair.conn(SECOND)}')"
    pair.mqsc(FIRST, f"ALTER CHANNEL({channel.name}) {given}")
    channel.start()
    assert channel.get(1)[0].data == b"1"
    assert pair.depth(SECOND, channel.target) == 0


def test_restart_when_a_message_waits_for_its_trigger_then_the_channel_starts(pair: Pair) -> None:
    channel = pair.channel()
    given = f"TRIGGER TRIGDATA({channel.name}) INITQ(SYSTEM.CHANNEL.INITQ)"
    pair.mqsc(FIRST, f"ALTER QLOCAL({channel.transmission_queue}) {given}", "STOP CHINIT")
    until(lambda: "AMQ5023I" in pair.log(FIRST))
    channel.put(b"1")
    pair.kill(FIRST)
    pair.start(FIRST)
    assert channel.get(1)[0].data == b"1"
