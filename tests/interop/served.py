"""A queue manager as the cases need it, in a process of its own, with a TCP listener and TLS.

Made by the control commands, as people do it. What is particular to the cases: channels for each
place, a queue for each case, users `app` (who may use the queues) and `admin`.
"""

from __future__ import annotations

import contextlib
import io
import os
import socket
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import pytest

import ternmq
from ternmq.cli.__main__ import main
from ternmq.remote.local.folder_lookup import find
from tests.interop.cases import PLACES, JavaCase

NAME: Final = "QM1"
USER: Final = "app"
ADMINISTRATOR: Final = "admin"
PASSWORD: Final = "passw0rd"
STORE_PASSWORD: Final = "changeit"


def run(*words: str) -> str:
    """A control command; its output."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        status = main(list(words))
    assert status == 0, output.getvalue()
    return output.getvalue()


def _channel(name: str, words: str = "", mcauser: str = USER) -> str:
    user = f"MCAUSER('{mcauser}') " if mcauser else ""
    return f"DEFINE CHANNEL('{name}') CHLTYPE(SVRCONN) {user}MAXMSGL(104857600) {words}"


def _channels() -> Iterator[str]:
    for place in PLACES:
        cipher = f"SSLCIPH({place.cipher_spec}) SSLCAUTH(OPTIONAL)" if place.cipher_spec else ""
        yield _channel(place.channel, f"SHARECNV({place.sharing}) {cipher}")
        if not place.cipher_spec:
            yield _channel(f"J.STOP.{place.name.upper()}", f"SHARECNV({place.sharing})")
    yield _channel("J.REQUIRED")
    yield _channel("J.OPTIONAL")  # with a password or without
    yield _channel("J.BLOCKED")
    yield _channel("J.STOPPED")
    yield _channel("J.OPEN", mcauser="")
    yield _channel("J.ADMIN", mcauser="")
    yield _channel("J.ONE", "MAXINST(1) SHARECNV(1)")
    yield "DEFINE CHANNEL('J.SHORT') CHLTYPE(SVRCONN) MCAUSER('app') MAXMSGL(50000)"
    yield _channel("J.MUTUAL", "SSLCIPH(ANY_TLS12_OR_HIGHER) SSLCAUTH(REQUIRED)")
    peer = "SSLCAUTH(REQUIRED) SSLPEER('CN=somebody else')"
    yield _channel("J.PEER", f"SSLCIPH(ANY_TLS12_OR_HIGHER) {peer}")
    everybody = "TYPE(ADDRESSMAP) ADDRESS('*')"
    yield f"SET CHLAUTH('J.*') {everybody} USERSRC(CHANNEL) CHCKCLNT(ASQMGR)"
    yield f"SET CHLAUTH('J.REQUIRED') {everybody} USERSRC(CHANNEL) CHCKCLNT(REQUIRED)"
    yield f"SET CHLAUTH('J.BLOCKED') {everybody} USERSRC(NOACCESS)"
    yield "SET CHLAUTH('J.ADMIN') TYPE(BLOCKUSER) USERLIST('nobody')"
    yield "STOP CHANNEL('J.STOPPED')"


def _queues(cases: Iterable[JavaCase]) -> Iterator[str]:
    for case in cases:
        yield f"DEFINE QLOCAL('{case.queue}') DESCR('{case.suite}.{case.method[:40]}')"
    for place in PLACES:
        mine = f"J.{place.name.upper()}"
        for purpose in ("TARGET", "UNITS", "LISTEN", "REPLIES", "CONTEXT", "STATE"):
            yield f"DEFINE QLOCAL('{mine}.{purpose}')"
        for purpose in ("SMALL", "SHORT", "JMS.SMALL"):
            yield f"DEFINE QLOCAL('{mine}.{purpose}') MAXDEPTH(2) MAXMSGL(1000)"
        yield f"DEFINE QLOCAL('{mine}.ASYNC') DEFPRESP(ASYNC)"
        yield f"DEFINE QLOCAL('{mine}.UNIT.WORK')"
        yield f"DEFINE QLOCAL('{mine}.UNIT.FULL') MAXDEPTH(1) MAXMSGL(1000)"
        yield f"DEFINE QLOCAL('{mine}.UNIT.SHUT') PUT(DISABLED)"
        for which in ("A", "B"):
            yield f"DEFINE QLOCAL('{mine}.BACKED.OUT.{which}')"
            words = f"BOTHRESH(3) BOQNAME('{mine}.BACKED.OUT.{which}')"
            yield f"DEFINE QLOCAL('{mine}.POISON.{which}') {words}"
        yield f"DEFINE QLOCAL('{mine}.AHEAD') DEFREADA(YES)"
        yield f"DEFINE QLOCAL('{mine}.XMIT') USAGE(XMITQ)"
        yield f"DEFINE QALIAS('{mine}.ALIAS') TARGET('{mine}.TARGET')"
        yield from _queues_for_properties(mine)
        for which in "ABCDEFGHI":
            yield f"DEFINE QLOCAL('{mine}.SEGMENTS.{which}') MAXMSGL(4096)"
            yield f"DEFINE QLOCAL('{mine}.REPORTS.{which}')"
        yield f"DEFINE QREMOTE('{mine}.REMOTE') RNAME(FAR) RQMNAME(AWAY) XMITQ('{mine}.XMIT')"
        for purpose in "ABCD":
            yield f"DEFINE QLOCAL('{mine}.LIST.{purpose}')"
        yield f"DEFINE QLOCAL('{mine}.USER.DATA')"
        words = f"TOPICSTR('{mine}/user/data') DEST('{mine}.USER.DATA') USERDATA('the data')"
        yield f"DEFINE SUB('{mine}.USER.DATA') {words}"
        yield f"DEFINE QLOCAL('{mine}.LIST.FULL') MAXDEPTH(1)"
        yield f"DEFINE QLOCAL('{mine}.LIST.SHUT') PUT(DISABLED)"
        yield f"DEFINE QLOCAL('{mine}.LIST.XMIT') USAGE(XMITQ) DISTL(YES)"
        for far in ("FAR", "FARTHER"):
            words = f"RNAME({far}) RQMNAME(AWAY) XMITQ('{mine}.LIST.XMIT')"
            yield f"DEFINE QREMOTE('{mine}.LIST.{far}') {words}"
    yield from _queues_for_queued_topics()
    yield "DEFINE QLOCAL('J.LARGE') MAXMSGL(104857600)"
    yield "DEFINE QLOCAL('J.PYTHON')"
    yield "DEFINE QLOCAL('SECRET.QUEUE')"
    yield "DEFINE QMODEL('J.MODEL') DEFTYPE(TEMPDYN)"
    yield "DEFINE QMODEL('J.MODEL.PERMANENT') DEFTYPE(PERMDYN) SHARE DEFSOPT(SHARED)"
    words = "APPLICID('program') ENVRDATA('environment') USERDATA('user data')"
    yield f"DEFINE PROCESS('J.PROCESS') {words}"


def _queues_for_queued_topics() -> Iterator[str]:
    """What IBM's sample MQJMS_PSQ.mqsc defines for PROVIDERVERSION(6)."""
    words = "SHARE DEFSOPT(SHARED)"
    for name in ("ADMIN.QUEUE", "PS.STATUS.QUEUE", "REPORT.QUEUE"):
        yield f"DEFINE QLOCAL('SYSTEM.JMS.{name}') DEFPSIST(YES) {words}"
    for name in ("ND.SUBSCRIBER", "ND.CC.SUBSCRIBER", "D.SUBSCRIBER", "D.CC.SUBSCRIBER"):
        yield f"DEFINE QLOCAL('SYSTEM.JMS.{name}.QUEUE') MAXDEPTH(100000) {words}"
    yield f"DEFINE QMODEL('SYSTEM.JMS.MODEL.QUEUE') DEFTYPE(PERMDYN) {words}"


def _queues_for_properties(mine: str) -> Iterator[str]:
    for control in ("ALL", "COMPAT", "FORCE", "NONE", "V6COMPAT"):
        for purpose in ("PROPCTL", "OPTION"):
            yield f"DEFINE QLOCAL('{mine}.{purpose}.{control}') PROPCTL({control})"
    yield f"DEFINE QLOCAL('{mine}.UNFORCED') PROPCTL(NONE)"
    yield f"DEFINE QALIAS('{mine}.FORCED') TARGET('{mine}.UNFORCED') PROPCTL(FORCE)"
    yield f"DEFINE QLOCAL('{mine}.NARROW') MAXMSGL(100)"
    yield f"DEFINE QLOCAL('{mine}.THERE.XMIT') USAGE(XMITQ)"
    words = f"RNAME(FAR) RQMNAME(AWAY) XMITQ('{mine}.THERE.XMIT')"
    yield f"DEFINE QREMOTE('{mine}.THERE') {words}"
    for which in ("A", "B", "C"):
        yield f"DEFINE QLOCAL('{mine}.ANSWERS.{which}')"
        yield f"DEFINE QLOCAL('{mine}.COLOURS.{which}')"
        words = f"TARGET('{mine}.COLOURS.{which}') SELECTOR('colour = ''red''')"
        yield f"DEFINE QALIAS('{mine}.RED.{which}') {words}"


def _authorities() -> Iterator[str]:
    who = f"PRINCIPAL('{USER}')"
    yield f"SET AUTHREC {who} OBJTYPE(QMGR) AUTHADD(ALLMQI)"
    own = ("J.**", "SYSTEM.DEFAULT.MODEL.QUEUE", "AMQ.**", "DEV.**", "SYSTEM.JMS.**")
    for profile in (*own, "SYSTEM.BROKER.CONTROL.QUEUE", "SYSTEM.BROKER.DEFAULT.STREAM"):
        yield f"SET AUTHREC PROFILE('{profile}') {who} OBJTYPE(QUEUE) AUTHADD(ALLMQI,DSP,DLT,CRT)"
    yield f"SET AUTHREC PROFILE('J.**') {who} OBJTYPE(PROCESS) AUTHADD(ALLMQI)"
    topics = "AUTHADD(PUB,SUB,RESUME)"
    yield f"SET AUTHREC PROFILE('SYSTEM.BASE.TOPIC') {who} OBJTYPE(TOPIC) {topics}"
    yield f"SET AUTHREC PROFILE('SYSTEM.ADMIN.TOPIC') {who} OBJTYPE(TOPIC) AUTHADD(SUB)"
    yield f"SET AUTHREC PROFILE('NO.QMGR') {who} OBJTYPE(RQMNAME) AUTHADD(PUT)"
    yield "REFRESH SECURITY TYPE(AUTHSERV)"


def script(cases: Iterable[JavaCase]) -> str:
    """The MQSC of all that."""
    lines = ["ALTER QMGR MAXMSGL(104857600)", *_queues(cases), *_channels(), *_authorities()]
    return "\n".join(lines) + "\n"


def make_keys(qmgr_folder: Path, client: Path) -> None:
    """A certificate for the queue manager and one for the client, each trusted by the other."""
    keys = qmgr_folder / "ssl"
    keys.mkdir(exist_ok=True)
    client.mkdir()
    _certificate("queue manager", keys / f"ibmwebspheremq{NAME.lower()}.pem", client / "qm1.crt")
    _certificate("java client", client / "client.pem", keys / "client.crt")
    trust = ["keytool", "-importcert", "-noprompt", "-alias", "qm1", "-storetype", "PKCS12"]
    trust += ["-file", str(client / "qm1.crt"), "-storepass", STORE_PASSWORD]
    _quietly([*trust, "-keystore", str(client / "trust.p12")])
    exported = ["openssl", "pkcs12", "-export", "-in", str(client / "client.pem"), "-name", "me"]
    _quietly([*exported, "-out", str(client / "keys.p12"), "-passout", f"pass:{STORE_PASSWORD}"])


def _certificate(common_name: str, path: Path, public: Path) -> None:
    """A certificate that signs itself: with its key in one file, alone in the other."""
    key = path.with_suffix(".tmp")
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-sha256"]
    command += ["-subj", f"/CN={common_name}/O=TernMQ", "-keyout", str(key), "-out", str(public)]
    _quietly(command)
    path.write_text(key.read_text("ascii") + public.read_text("ascii"), "ascii")
    path.chmod(0o600)
    key.unlink()


def _quietly(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@contextlib.contextmanager
def queue_manager(data: Path, cases: list[JavaCase]) -> Iterator[int]:
    """A running queue manager; yields the port that it listens on."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TERNMQ_DATA", str(data))
        run("crtmqm", "--dev", "-lp", "4", "-ls", "4", "-lf", "16384", NAME)
        make_keys(Path(find(str(data), NAME).folder), data / "client")
        run("strmqm", NAME)
        try:
            path = data / "cases.mqsc"
            path.write_text(script(cases), encoding="utf-8")
            run("runmqsc", "-e", "-f", str(path), NAME)
            yield _listen()
        finally:
            run("endmqm", "-i", NAME)


def _listen() -> int:
    """Port 0 is MQ's usual port here, so the system is asked for a free one first; whoever takes it
    meanwhile makes us try the next."""
    with ternmq.connect(NAME) as admin:
        for number in range(10):
            with socket.create_server(("127.0.0.1", 0)) as free:
                port: int = free.getsockname()[1]
            name = f"J.LISTENER.{number}"
            define = f"DEFINE LISTENER('{name}') TRPTYPE(TCP) IPADDR('127.0.0.1') PORT({port})"
            (defined,) = admin.mqsc(define)
            assert defined.ok, defined
            started = admin.mqsc(f"START LISTENER('{name}')")
            if all(one.ok for one in started):
                return port
    raise AssertionError("no port is free")


def fault_reports(data: Path) -> list[Path]:
    """Reports on faults that the queue manager has written: there must be none."""
    return sorted(Path(find(str(data), NAME).folder).rglob("*.FDC"))


def error_log(data: Path) -> str:
    path = Path(find(str(data), NAME).folder) / "errors" / "AMQERR01.LOG"
    return path.read_text(encoding="utf-8") if os.path.exists(path) else ""
