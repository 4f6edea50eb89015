"""Goal: a running queue manager serves clients over TCP and TLS, and its operator sees and ends
them.

Method: real processes; the developer's queue manager (`crtmqm --dev`) with a listener on a port
that the system chooses; our own client.
"""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import ternmq
from ternmq.base import reasons as rc
from ternmq.remote.local.folder_lookup import find
from tests.battery.places import until
from tests.integration.test_lifecycle import SMALL, Machine
from tests.unit.network.certificates import Certificates


class Networked(Machine):
    """A machine with a queue manager that listens."""

    def start(self, *setup: str) -> None:
        self.run("crtmqm", "--dev", *SMALL, "QM1")
        ini = Path(find(str(self.data), "QM1").folder) / "qm.ini"
        ini.write_text(ini.read_text() + "TCP:\n   Port=0\n")
        self.run("strmqm", "QM1")
        with self.connect() as operator:
            for command in setup:
                for answer in operator.mqsc(command):
                    assert answer.ok, answer
            operator.mqsc("DEFINE LISTENER(TCP) TRPTYPE(TCP) IPADDR('127.0.0.1') CONTROL(QMGR)")
            operator.mqsc("START LISTENER(TCP)")
        self.port = self.port_of_listener()

    def port_of_listener(self) -> int:
        with self.connect() as operator:
            (shown,) = operator.mqsc("DISPLAY LSSTATUS(TCP)")
            return int(shown["PORT"])

    @property
    def conn(self) -> str:
        return f"127.0.0.1({self.port})"

    def client(
        self, user: str = "app", password: str | None = "passw0rd", **way: Any
    ) -> ternmq.Connection:
        channel = way.pop("channel", "DEV.APP.SVRCONN")
        return ternmq.connect(
            "QM1", channel=channel, conn=self.conn, user=user, password=password, **way
        )

    def refusal(self, *who: Any, **way: Any) -> int:
        """The reason why a client does not come in."""
        with pytest.raises(ternmq.MQError) as refused:
            self.client(*who, **way)
        return refused.value.reason

    def log(self) -> str:
        folder = Path(find(str(self.data), "QM1").folder)
        return (folder / "errors" / "AMQERR01.LOG").read_text()


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Networked]:
    folder = tmp_path_factory.mktemp("machine")
    certificates = Certificates()
    server = certificates.write_folder(folder / "server")
    own = folder / "client"
    own.mkdir()
    certificates.client.private_key_and_cert_chain_pem.write_to_path(own / "app.pem")
    certificates.authority.cert_pem.write_to_path(own / "authority.crt")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TERNMQ_DATA", str(folder))
        one = Networked(folder)
        one.start(
            f"ALTER QMGR SSLKEYR('{server}')",
            "DEFINE CHANNEL(TLS) CHLTYPE(SVRCONN) SSLCIPH(ANY_TLS12_OR_HIGHER) "
            "SSLPEER('CN=app1,O=Org')",
            "SET CHLAUTH(TLS) TYPE(SSLPEERMAP) SSLPEER('CN=app1') USERSRC(MAP) MCAUSER('app')",
        )
        yield one
        one.end_all()


def vanish(machine: Networked) -> None:
    """A client that dies in the middle of its work."""
    program = (
        "import os, ternmq\n"
        f"app = ternmq.connect('QM1', channel='DEV.APP.SVRCONN', conn='{machine.conn}',"
        " user='app', password='passw0rd')\n"
        "app.queue('DEV.QUEUE.1').put('nobody gets this', syncpoint=True)\n"
        "os._exit(0)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_the_developers_queue_manager_lets_in_whom_it_should(machine: Networked) -> None:
    with machine.client() as app, app.queue("DEV.QUEUE.1") as queue:
        queue.put("over the network")
        assert queue.get().text == "over the network"
        with machine.connect() as operator:
            (status,) = operator.mqsc("DISPLAY CHSTATUS('DEV.APP.SVRCONN') ALL")
            assert (status["STATUS"], status["MCAUSER"]) == ("RUNNING", "app")
            assert int(status["MSGS"]) > 3
            assert int(status["BYTSRCVD"]) > 500
            (shown,) = operator.mqsc("DISPLAY CONN(*) WHERE(CHANNEL EQ 'DEV.APP.SVRCONN') ALL")
            assert (shown["CONNAME"], shown["USERID"]) == ("127.0.0.1", "app")
    assert machine.refusal("app", "verkehrt") == rc.MQRC_NOT_AUTHORIZED
    assert machine.refusal("app", None) == rc.MQRC_NOT_AUTHORIZED
    assert machine.refusal(channel="NOT.THERE") == rc.MQRC_UNKNOWN_CHANNEL_NAME
    assert machine.refusal(channel="SYSTEM.DEF.SVRCONN") == rc.MQRC_NOT_AUTHORIZED
    # Administrators come in by their own channel, and nobody else does.
    assert machine.refusal(channel="DEV.ADMIN.SVRCONN") == rc.MQRC_NOT_AUTHORIZED
    with machine.client("admin", channel="DEV.ADMIN.SVRCONN") as admin:
        assert admin.mqsc("DISPLAY QMGR QMNAME")[0]["QMNAME"] == "QM1"
    vanish(machine)
    until(lambda: "AMQ9209E" in machine.log() or "AMQ9208E" in machine.log())
    log = machine.log()
    for reported in ("AMQ5026I", "AMQ9519E", "AMQ9557E", "AMQ9777E", "AMQ9999E"):
        assert reported in log, reported
    assert "passw0rd" not in log
    assert "verkehrt" not in log


def test_an_operator_ends_connections_and_channels(machine: Networked) -> None:
    with machine.connect() as operator:
        app = machine.client()
        (shown,) = operator.mqsc("DISPLAY CONN(*) WHERE(CHANNEL EQ 'DEV.APP.SVRCONN')")
        assert operator.mqsc(f"STOP CONN({shown['CONN']})")[0].message == "AMQ8457I"
        with pytest.raises(ternmq.MQError) as broken:
            app.queue("DEV.QUEUE.1").put("too late")
        assert broken.value.reason == rc.MQRC_CONNECTION_BROKEN
        with machine.client() as other:
            app = machine.client()
            queue = app.queue("DEV.QUEUE.1")
            found = operator.mqsc("DISPLAY CONN(*) WHERE(CHANNEL EQ 'DEV.APP.SVRCONN')")
            (own,) = [one for one in found if one["CONN"] == app.connection_id.hex()[32:].upper()]
            assert operator.mqsc(f"STOP CONN({own['CONN']})")[0].message == "AMQ8457I"
            with pytest.raises(ternmq.MQError) as broken:
                queue.get(wait=10)
            assert broken.value.reason == rc.MQRC_CONNECTION_BROKEN
            assert not app.connected
            other.queue("DEV.QUEUE.1").put("not too late")
            other.queue("DEV.QUEUE.1").get()
        app = machine.client()
        assert operator.mqsc("STOP CHANNEL('DEV.APP.SVRCONN')")[0].message == "AMQ8019I"
        with pytest.raises(ternmq.MQError) as broken:
            app.queue("DEV.QUEUE.1").put("too late")
        assert broken.value.reason in (rc.MQRC_CONNECTION_BROKEN, rc.MQRC_CONNECTION_QUIESCING)
        assert machine.refusal() == rc.MQRC_CHANNEL_NOT_AVAILABLE
        assert operator.mqsc("START CHANNEL('DEV.APP.SVRCONN')")[0].message == "AMQ8018I"
        machine.client().disconnect()


def test_a_listener_starts_and_ends_with_its_queue_manager(machine: Networked) -> None:
    app = machine.client()
    machine.run("endmqm", "-i", "QM1")
    with pytest.raises(ternmq.MQError) as ended:
        app.queue("DEV.QUEUE.1").put("too late")
    assert ended.value.reason in (rc.MQRC_CONNECTION_BROKEN, rc.MQRC_Q_MGR_STOPPING)
    assert machine.refusal() in (rc.MQRC_HOST_NOT_AVAILABLE, rc.MQRC_Q_MGR_NOT_AVAILABLE)
    machine.run("strmqm", "QM1")
    machine.port = machine.port_of_listener()
    machine.client().disconnect()
    machine.run("endmqm", "-i", "QM1")
    machine.run("strmqm", "-ns", "QM1")
    with machine.connect() as operator:
        assert operator.mqsc("DISPLAY LSSTATUS(TCP)")[0].message == "AMQ8147E"
        operator.mqsc("START LISTENER(TCP)")
    machine.port = machine.port_of_listener()


def test_runmqlsr_listens_until_it_is_ended(machine: Networked) -> None:
    command = [sys.executable, "-m", "ternmq.cli", "runmqlsr", "-m", "QM1", "-i", "127.0.0.1"]
    way: dict[str, Any] = {"channel": "DEV.APP.SVRCONN", "user": "app", "password": "passw0rd"}
    for how in ("signal", "endmqlsr"):
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as listener:
            assert listener.stdout is not None
            port = int(listener.stdout.readline().split()[3])
            conn = f"127.0.0.1({port})"
            ternmq.connect("QM1", conn=conn, **way).disconnect()
            if how == "signal":
                listener.send_signal(signal.SIGTERM)
            else:
                assert f"127.0.0.1({port})" in machine.run("endmqlsr", "-m", "QM1").stdout
            assert listener.wait() == 0
        with pytest.raises(ternmq.MQError):
            ternmq.connect("QM1", conn=conn, **way)
    machine.run("endmqlsr", "-m", "QM1", status=10)
    machine.run("runmqlsr", "-m", "NONE", status=20)
    taken = machine.run("runmqlsr", "-m", "QM1", "-p", str(machine.port), status=10)
    assert "cannot be had" in taken.stderr


def test_clients_come_in_by_tls_and_show_who_they_are(machine: Networked) -> None:
    way = {"channel": "TLS", "key_repository": str(machine.data / "client")}
    for cipher, shown in (
        ("ANY_TLS13", "TLS_AES_256_GCM_SHA384"),
        ("ECDHE_RSA_AES_128_GCM_SHA256", "ECDHE_RSA_AES_128_GCM_SHA256"),
    ):
        with (
            machine.client("", None, cipher=cipher, certificate_label="app", **way) as app,
            app.queue("DEV.QUEUE.1") as queue,
        ):
            queue.put(b"x" * 200_000)
            assert queue.get().data == b"x" * 200_000
            with machine.connect() as operator:
                (status,) = operator.mqsc("DISPLAY CHSTATUS(TLS) ALL")
            assert status["SSLCIPH"] == shown
            assert "CN=app1" in str(status["SSLPEER"])
            assert status["MCAUSER"] == "app"
    assert machine.refusal("", None, **way) == rc.MQRC_SSL_INITIALIZATION_ERROR
