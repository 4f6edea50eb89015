"""Where a client finds its queue manager: connection names, MQSERVER, mqclient.ini, the CCDT in
JSON, groups and weights, and what counts more than what.

Pure: files in a folder of the test, a dictionary as the environment, seeded chance.
"""

from __future__ import annotations

import json
import random
import threading
from base64 import b64encode
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from ternmq import MQError
from ternmq.base import constants as mq
from ternmq.base import reasons as rc
from ternmq.remote.fap.ccdt import channels_of, read_table
from ternmq.remote.fap.channel_choice import Choices, asked_name, drawn, matching
from ternmq.remote.fap.client_channel import Address, ClientChannel, addresses_of
from ternmq.remote.fap.client_ini import DELAYS_USUAL, Delay, client_settings, delays_of
from ternmq.remote.fap.connect import (
    ClientOptions,
    definitions,
    goes_by_network,
    plan_for,
    reconnect_options,
)
from ternmq.remote.fap.reconnect import pauses

pytestmark = pytest.mark.core


def row(name: str, host: str = "h", **more: Any) -> dict[str, Any]:
    """One channel of a table."""
    return {
        "name": name,
        "type": "clientConnection",
        "clientConnection": {"connection": [{"host": host, "port": 1415}], **more},
    }


def table(*rows: dict[str, Any]) -> bytes:
    return json.dumps({"channel": list(rows)}).encode()


@pytest.mark.parametrize(
    ("conn", "expected"),
    [
        ("localhost(1414)", [("localhost", 1414)]),
        ("localhost", [("localhost", 1414)]),
        ("a(1), b(2),c", [("a", 1), ("b", 2), ("c", 1414)]),
        ("::1(1500)", [("::1", 1500)]),
        ("[fe80::2](7)", [("fe80::2", 7)]),
    ],
)
def test_a_connection_name_is_a_list_of_addresses(
    conn: str, expected: list[tuple[str, int]]
) -> None:
    assert [tuple(one) for one in addresses_of(conn)] == expected


@pytest.mark.parametrize("conn", ["", "a(0)", "a(65536)", "a(x)", "a b(1)", "a(1)b", "a,,b"])
def test_a_connection_name_that_cannot_be_is_refused_by_name(conn: str) -> None:
    with pytest.raises(MQError) as refused:
        addresses_of(conn, "CH")
    assert refused.value.reason == rc.MQRC_CHANNEL_CONFIG_ERROR
    assert conn in refused.value.detail


def test_a_json_table_gives_its_client_connections_with_all_they_say() -> None:
    full = {
        **row("TLS.CH", queueManager="QM1"),
        "connectionManagement": {
            "affinity": "none",
            "clientWeight": 7,
            "defaultReconnect": "queueManager",
            "heartbeatInterval": 5,
            "sharingConversations": 1,
            "localAddress": [{"host": "127.0.0.1", "port": 7000}],
        },
        "transmissionSecurity": {
            "cipherSpecification": "ANY_TLS12_OR_HIGHER",
            "certificateLabel": "app",
            "certificatePeerName": "CN=QM1",
        },
        "general": {"maximumMessageLength": 4096},
    }
    other = {"name": "SDR", "type": "sender"}
    assert channels_of(table(full, other), "t") == [
        ClientChannel(
            "TLS.CH",
            (Address("h", 1415),),
            qmgr_name="QM1",
            cipher="ANY_TLS12_OR_HIGHER",
            peer_name="CN=QM1",
            certificate_label="app",
            heartbeat_s=5,
            sharing=1,
            message_bytes_max=4096,
            weight=7,
            is_affine=False,
            reconnect=mq.MQCNO_RECONNECT_Q_MGR,
            local_address="127.0.0.1(7000)",
        )
    ]


@pytest.mark.parametrize(
    ("data", "reported"),
    [
        (b"AMQRCCDT", "not JSON"),
        (b'{"channel": 1}', "is not an array"),
        (b"{", "JSONDecodeError"),
        (table({"name": "A", "type": "clientConnection"}), "no connection"),
        (table({**row("A"), "connectionManagement": {"clientWeight": 100}}), "clientWeight"),
        (table({**row("A"), "connectionManagement": {"affinity": "never"}}), "affinity"),
        (table({**row("A"), "exits": {"message": ["a(b)"]}}), "no exits of kind message"),
        (table({**row("A"), "exits": {"send": "a(b)"}}), "not an array of at most"),
        (table(row("A" * 21)), "is not a channel name"),
    ],
)
def test_a_table_that_cannot_be_is_refused_with_its_fault(data: bytes, reported: str) -> None:
    with pytest.raises(MQError) as refused:
        channels_of(data, "t.json")
    assert refused.value.reason == rc.MQRC_CHANNEL_CONFIG_ERROR
    assert reported in refused.value.detail


def test_a_table_is_read_from_a_path_or_a_file_url(tmp_path: Path) -> None:
    path = tmp_path / "ccdt.json"
    path.write_bytes(table(row("A")))
    assert read_table(str(path))[0].name == "A"
    assert read_table(path.as_uri())[0].name == "A"
    with pytest.raises(MQError, match="cannot be read"):
        read_table(str(tmp_path / "none.json"))


@pytest.mark.parametrize(
    ("asked", "names", "connects_as"),
    [("QM1", ["A"], "QM1"), ("*GRP", ["B", "C"], ""), ("", ["D"], ""), ("*", ["D"], "")],
)
def test_a_name_finds_its_definitions_and_a_group_takes_any_queue_manager(
    asked: str, names: list[str], connects_as: str
) -> None:
    rows = (
        row("A", queueManager="QM1"),
        row("B", queueManager="GRP"),
        row("C", queueManager="GRP"),
        row("D"),
    )
    found = matching(channels_of(table(*rows), "t"), asked, "t")
    assert [one.name for one in found] == names
    assert asked_name(asked) == connects_as


def test_a_name_without_a_definition_is_a_wrong_name() -> None:
    with pytest.raises(MQError) as refused:
        matching(channels_of(table(row("A")), "t"), "QMX", "t.json")
    assert refused.value.reason == rc.MQRC_Q_MGR_NAME_ERROR
    assert "t.json" in refused.value.detail


def weighted(name: str, weight: int, is_affine: bool = True) -> ClientChannel:
    return ClientChannel(name, (Address("h", 1),), weight=weight, is_affine=is_affine)


def test_weight_zero_comes_first_by_name_and_the_rest_by_their_weights() -> None:
    channels = [weighted("Z", 0), weighted("A", 0), weighted("H", 90), weighted("L", 10)]
    chance = random.Random(7)
    orders = [[one.name for one in drawn(channels, chance)] for _ in range(500)]
    assert all(order[:2] == ["A", "Z"] for order in orders)
    heavy_first = sum(order[2] == "H" for order in orders)
    assert 400 < heavy_first < 490


def test_a_process_keeps_to_its_first_order_unless_a_channel_failed_or_has_no_affinity() -> None:
    kept = Choices(random.Random(1))
    channels = [weighted(name, 10) for name in "ABCDE"]
    first = kept.order("*G", channels)
    assert all(kept.order("*G", channels) == first for _ in range(20))
    kept.failed("*G", channels, first[0])
    assert kept.order("*G", channels) == [*first[1:], first[0]]
    free = [weighted(name, 10, False) for name in "ABCDE"]
    assert len({tuple(one.name for one in kept.order("*F", free)) for _ in range(20)}) > 1


# ---- the environment


def test_variables_count_more_than_mqclient_ini(tmp_path: Path) -> None:
    ini = tmp_path / "mqclient.ini"
    ini.write_text(
        "CHANNELS:\n   ServerConnectionParms=INI.CH/TCP/ini(1)\n"
        "   ChannelDefinitionDirectory=/ini\n   ChannelDefinitionFile=ini.json\n"
        "   DefRecon=YES\n   ReconDelay=(10,2)(20)\n   MQReconnectTimeout=9\n"
        "TCP:\n   Connect_Timeout=3\n   KeepAlive=Yes\n"
        "SSL:\n   SSLKeyRepository=/ini/keys\n   OutboundSNI=HOSTNAME\n"
        "MessageBuffer:\n   MaximumSize=64\n"
    )
    from_file = client_settings({"MQCLNTCF": str(ini)})
    assert from_file.server == ClientChannel("INI.CH", (Address("ini", 1),))
    assert from_file.table == "/ini/ini.json"
    assert from_file.reconnect == mq.MQCNO_RECONNECT
    assert from_file.delays == (Delay(10, 2), Delay(20, 0))
    assert (from_file.reconnect_s, from_file.connect_s, from_file.keep_alive) == (9, 3, True)
    assert from_file.tls.key_repository == "/ini/keys"
    assert from_file.tls.is_host_named
    assert from_file.window_bytes == 65_536
    both = client_settings(
        {
            "MQCLNTCF": str(ini),
            "MQSERVER": "ENV.CH/tcp/env(2)",
            "MQCHLLIB": "/env",
            "MQCHLTAB": "env.json",
            "MQSSLKEYR": "/env/keys",
        }
    )
    assert both.server is not None
    assert both.server.name == "ENV.CH"
    assert both.table == "/env/env.json"
    assert both.tls.key_repository == "/env/keys"
    url = client_settings({"MQCLNTCF": str(ini), "MQCCDTURL": "https://x/y.json"})
    assert url.table == "https://x/y.json"


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("PreConnect:\n   Module=x\n", "PreConnect"),
        ("CHANNELS:\n   DefRecon=MAYBE\n", "DefRecon"),
        ("CHANNELS:\n   ReconDelay=1,2\n", "ReconDelay"),
        ("TCP:\n   Connect_Timeout=soon\n", "Connect_Timeout"),
        ("nonsense\n", "line 1"),
    ],
)
def test_an_ini_that_cannot_be_believed_is_refused(
    tmp_path: Path, text: str, reported: str
) -> None:
    path = tmp_path / "mqclient.ini"
    path.write_text(text)
    with pytest.raises(MQError) as refused:
        client_settings({"MQCLNTCF": str(path)})
    assert refused.value.reason == rc.MQRC_CHANNEL_CONFIG_ERROR
    assert reported in refused.value.detail


@pytest.mark.parametrize("text", ["CH", "CH/TCP", "CH/LU62/host", "/TCP/host"])
def test_mqserver_that_cannot_be_is_refused(text: str) -> None:
    with pytest.raises(MQError) as refused:
        client_settings({"MQSERVER": text})
    assert refused.value.reason == rc.MQRC_CHANNEL_CONFIG_ERROR


def test_what_the_application_says_counts_most_then_mqserver_then_the_table(
    tmp_path: Path,
) -> None:
    path = tmp_path / "t.json"
    path.write_bytes(table(row("TABLE.CH", queueManager="QM1")))
    settings = client_settings({"MQSERVER": "SRV.CH/TCP/s", "MQCCDTURL": str(path)})
    given = ClientOptions(channel="APP.CH", conn="a(1)")
    assert definitions("QM1", given, settings)[0].name == "APP.CH"
    assert definitions("QM1", ClientOptions(), settings)[0].name == "SRV.CH"
    assert definitions("QM1", ClientOptions(ccdt=path), settings)[0].name == "TABLE.CH"
    with_table = client_settings({"MQCCDTURL": str(path)})
    assert definitions("QM1", ClientOptions(), with_table)[0].name == "TABLE.CH"
    with pytest.raises(MQError, match="channel and conn go together"):
        definitions("QM1", ClientOptions(channel="APP.CH"), settings)
    with pytest.raises(MQError, match="neither a channel nor MQSERVER"):
        definitions("QM1", ClientOptions(), client_settings({}))


def test_a_plan_has_everything_about_each_definition(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MQSERVER", "MQCCDTURL", "MQCHLLIB", "MQCHLTAB", "MQCLNTCF"):
        monkeypatch.delenv(name, raising=False)
    client_options = ClientOptions(
        channel="CH", conn="a,b", cipher="ANY_TLS12", reconnect="queueManager", sharing=0
    )
    plan = plan_for("QM1", client_options, "alice", "secret", "app", None)
    (endpoint,) = plan.endpoints
    assert [str(one) for one in endpoint.channel.addresses] == ["a(1414)", "b(1414)"]
    assert (endpoint.channel.cipher, endpoint.channel.sharing) == ("ANY_TLS12", 0)
    assert (
        endpoint.parameters.csp_user,
        endpoint.parameters.password,
        endpoint.parameters.qmgr_name,
    ) == (
        "alice",
        "secret",
        "QM1",
    )
    assert plan.reconnect == mq.MQCNO_RECONNECT_Q_MGR


# ---- reconnection


def test_delays_grow_as_given_and_end_with_the_time() -> None:
    found = list(pauses((Delay(1000, 0), Delay(2000, 0)), 7.0))
    assert found == [1.0, 2.0, 2.0, 2.0, 2.0]
    assert delays_of("") == DELAYS_USUAL
    many = list(pauses((Delay(100, 50),), 1.0))
    assert all(0.1 <= one <= 0.15 for one in many)


def test_reconnect_as_a_word_or_a_truth() -> None:
    assert reconnect_options(None) == 0
    assert reconnect_options(True) == mq.MQCNO_RECONNECT
    assert reconnect_options(False) == mq.MQCNO_RECONNECT_DISABLED
    assert reconnect_options("queueManager") == mq.MQCNO_RECONNECT_Q_MGR
    with pytest.raises(MQError, match="not one of"):
        reconnect_options("maybe")


def test_a_queue_manager_of_this_machine_comes_before_the_environments_channels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "qmgrs" / "HERE").mkdir(parents=True)
    monkeypatch.setenv("TERNMQ_DATA", str(tmp_path))
    monkeypatch.delenv("MQ_CONNECT_TYPE", raising=False)
    monkeypatch.setenv("MQSERVER", "CH/TCP/host")
    assert not goes_by_network("HERE", ClientOptions(), None, None)
    assert goes_by_network("ELSEWHERE", ClientOptions(), None, None)
    assert goes_by_network("", ClientOptions(), None, None)
    assert goes_by_network("HERE", ClientOptions(), mq.MQCNO_CLIENT_BINDING, None)
    assert not goes_by_network("ELSEWHERE", ClientOptions(), mq.MQCNO_LOCAL_BINDING, None)
    assert not goes_by_network("ELSEWHERE", ClientOptions(), None, tmp_path)
    assert goes_by_network("HERE", ClientOptions(channel="CH", conn="host"), None, None)
    monkeypatch.setenv("MQ_CONNECT_TYPE", "CLIENT")
    assert goes_by_network("HERE", ClientOptions(), None, None)
    for option in (
        mq.MQCNO_FASTPATH_BINDING,
        mq.MQCNO_SHARED_BINDING,
        mq.MQCNO_ISOLATED_BINDING,
        mq.MQCNO_LOCAL_BINDING,
    ):
        assert not goes_by_network(
            "HERE", ClientOptions(), option, None
        )  # the variable is for others
    monkeypatch.delenv("MQ_CONNECT_TYPE")
    monkeypatch.delenv("MQSERVER")
    assert not goes_by_network("ELSEWHERE", ClientOptions(), None, None)


def test_a_table_is_fetched_by_http() -> None:
    asked_as: list[str | None] = []

    class Answering(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path == "/junk":
                self.wfile.write(b"this is not HTTP\r\n\r\n")
                return
            asked_as.append(self.headers.get("Authorization"))
            body = table(row("A")) if self.path == "/ccdt.json" else b""
            self.send_response(200 if body else 404)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *arguments: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Answering) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        base = f"http://127.0.0.1:{server.server_port}"
        try:
            assert read_table(f"{base}/ccdt.json")[0].name == "A"
            with pytest.raises(MQError, match="404"):
                read_table(f"{base}/none.json")
            with pytest.raises(MQError, match="cannot be read"):
                read_table(f"{base}/junk")
            secured = base.replace("//", "//fred:hunter%32@")
            assert read_table(f"{secured}/ccdt.json")[0].name == "A"
            assert asked_as[-1] == "Basic " + b64encode(b"fred:hunter2").decode("ascii")
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize(
    "url",
    [
        "http://fred:hunter2@127.0.0.1:1/x.json",
        "http://fred:hunter2@[::1/x.json",
        "ftp://fred:hunter2@127.0.0.1/x.json",
        "http://fred:hunter2@127.0.0.1:port/x.json",
    ],
)
def test_a_table_that_cannot_be_fetched_then_its_password_is_not_shown(url: str) -> None:
    with pytest.raises(MQError) as caught:
        plan_for("QM1", ClientOptions(ccdt=url), None, None, "test", None)
    assert "hunter2" not in str(caught.value)
    assert "x.json" in str(caught.value)
