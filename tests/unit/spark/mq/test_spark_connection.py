"""Goal: options of the source lead to the queue manager: by TCP with a password, TLS, a table.

Method: a queue manager that a thread of this process serves; connections as tasks make them.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import ternmq
from ternmq.base import reasons as rc
from ternmq.spark.mq.mq_options import CONNECTION_OPTIONS, SOURCE_OPTIONS, ConnectionOptions
from ternmq.spark.mq.spark_connection import connect
from tests.unit.api.networked import CHANNEL, Networked, in_memory
from tests.unit.network.certificates import Certificates
from tools.layers import ROOT

SETUP = """
DEFINE QLOCAL(A)
DEFINE CHANNEL(TLS) CHLTYPE(SVRCONN) SSLCIPH(ANY_TLS12_OR_HIGHER) SSLCAUTH(REQUIRED)
"""


@pytest.fixture(scope="module")
def served() -> Iterator[Networked]:
    found = in_memory()
    with found:
        Certificates().write_folder(found.folder / "ssl")
        with found.connect() as connection:
            for answer in connection.mqsc(SETUP):
                assert answer.ok, answer
        yield found


def options(served: Networked, **given: str) -> ConnectionOptions:
    usual = {"queueManager": "QM1", "connName": served.conn, "channel": CHANNEL}
    return ConnectionOptions({**usual, **given})


def test_network_when_given_then_connected_under_the_name_of_the_application(
    served: Networked,
) -> None:
    with connect(options(served, applicationName="lake")) as connection:
        assert connection.name == "QM1"
        shown = connection.mqsc("DISPLAY CONN(*) TYPE(CONN) APPLTAG")
        assert "lake" in [answer["APPLTAG"] for answer in shown]


def test_local_socket_when_a_path_is_given_then_connected(served: Networked) -> None:
    with connect(
        ConnectionOptions({"queueManager": "QM1", "path": str(served.data)})
    ) as connection:
        assert connection.name == "QM1"


def test_table_when_given_then_its_channel(served: Networked, tmp_path: Path) -> None:
    row = {
        "name": CHANNEL,
        "type": "clientConnection",
        "clientConnection": {
            "connection": [{"host": "127.0.0.1", "port": served.port}],
            "queueManager": "QM1",
        },
    }
    (tmp_path / "ccdt.json").write_text(json.dumps({"channel": [row]}))
    for where in (str(tmp_path / "ccdt.json"), (tmp_path / "ccdt.json").as_uri()):
        given = ConnectionOptions({"queueManager": "QM1", "ccdtUrl": where})
        with connect(given) as connection:
            assert connection.name == "QM1"


def test_tls_when_given_then_both_sides_show_certificates(
    served: Networked, tmp_path: Path
) -> None:
    certificates = Certificates()
    certificates.write_folder(served.folder / "ssl")  # from the same authority as the client's
    with served.connect() as operator:
        operator.mqsc("REFRESH SECURITY TYPE(SSL)")
    keys = tmp_path / "keys"
    keys.mkdir()
    certificates.authority.cert_pem.write_to_path(keys / "authority.crt")
    certificates.client.private_key_and_cert_chain_pem.write_to_path(keys / "app.pem")
    way = {"channel": "TLS", "cipherSpec": "ANY_TLS12_OR_HIGHER", "keyRepository": str(keys)}
    with connect(options(served, **way, certificateLabel="app")) as connection:
        assert connection.name == "QM1"
    with pytest.raises(ternmq.MQError) as refused:
        connect(options(served, channel="TLS"))
    assert refused.value.reason == rc.MQRC_SSL_INITIALIZATION_ERROR


def test_password_when_wrong_then_not_authorized_and_the_text_does_not_have_it(
    served: Networked, tmp_path: Path
) -> None:
    (tmp_path / "secret").write_text("not-this-one\n")
    with served.connect() as operator:
        operator.mqsc(
            "DEFINE AUTHINFO(PASSWORDS) AUTHTYPE(IDPWOS) CHCKCLNT(REQUIRED)\n"
            "ALTER QMGR CONNAUTH(PASSWORDS)\nREFRESH SECURITY TYPE(CONNAUTH)"
        )
        try:
            reported = options(served, user="nobody", passwordFile=str(tmp_path / "secret"))
            with pytest.raises(ternmq.MQError) as refused:
                connect(reported)
            assert refused.value.reason == rc.MQRC_NOT_AUTHORIZED
            assert "not-this-one" not in str(refused.value)
        finally:
            operator.mqsc("ALTER QMGR CONNAUTH(' ')\nREFRESH SECURITY TYPE(CONNAUTH)")


def test_page_when_it_lists_options_then_it_lists_those_of_the_tables() -> None:
    page = (ROOT / "docs" / "spark" / "spark.md").read_text(encoding="utf-8")
    for option in (*SOURCE_OPTIONS, *CONNECTION_OPTIONS):
        assert f"| `{option.name}` | {option.default} | {option.about} |\n" in page
