"""Goal: a scrape shows what the queue manager did, exactly; the port is safe from whoever connects.

Method: a memory queue manager, known work, HTTP by hand over loopback.
"""

from __future__ import annotations

import contextlib
import gzip
import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import ternmq
from ternmq import constants as mq
from ternmq.outlets.metrics import Metrics
from ternmq.outlets.metrics_server import SCRAPES_MAX, MetricsServer
from ternmq.telemetry.metrics.metric_text import BOTH

pytestmark = pytest.mark.core


@contextmanager
def served(
    qmgr: ternmq.QueueManager, *queues: str, answer_s_max: float = 30.0, scheme: str = BOTH
) -> Iterator[MetricsServer]:
    metrics = Metrics(qmgr.started.shell, queues or ("*",))
    server = MetricsServer(metrics, "127.0.0.1", 0, scheme=scheme, answer_s_max=answer_s_max)
    try:
        yield server
    finally:
        server.close()


def ask(port: int, request: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", port)) as sock:
        sock.sendall(request)
        found = b""
        while more := sock.recv(65_536):
            found += more
    return found


def _end_of(sock: socket.socket) -> bytes:
    try:
        return sock.recv(1)
    except ConnectionResetError:
        return b""


def scrape(server: MetricsServer) -> str:
    answer = ask(server.port, b"GET /metrics HTTP/1.0\r\n\r\n")
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 OK\r\n")
    assert b"Content-Type: text/plain; version=0.0.4; charset=utf-8" in head
    return body.decode()


def value(text: str, name: str, **labels: str) -> float:
    found = []
    for line in text.splitlines():
        match = re.match(rf"{name}\{{(.*)\}} (\S+)$", line)
        if match and all(f'{key}="{one}"' in match[1] for key, one in labels.items()):
            found.append(float(match[2]))
    assert len(found) == 1, (name, labels, found)
    return found[0]


def test_scrape_when_work_was_done_then_every_figure_is_that_of_the_work() -> None:
    with ternmq.memory("QM1") as qmgr:
        qmgr.define_queue("A", max_depth=77, description='of "orders"')
        qmgr.define_queue("B")
        with served(qmgr) as server, qmgr.queue("A") as queue:
            for size in (10, 20, 30):
                queue.put(b"x" * size)
            queue.put(b"y" * 5, persistent=True)
            qmgr.put("A", b"z")
            assert queue.get().data == b"x" * 10
            text = scrape(server)
            assert value(text, "ibmmq_queue_depth", queue="A") == 4
            assert value(text, "ibmmq_queue_attribute_max_depth", queue="A") == 77
            assert value(text, "ibmmq_queue_mqput_mqput1_count", queue="A") == 5
            assert value(text, "ibmmq_queue_mqput_bytes", queue="A") == 66
            assert value(text, "ibmmq_queue_mqput_persistent_message_count", queue="A") == 1
            assert value(text, "ibmmq_queue_mqget_count", queue="A") == 1
            assert value(text, "ibmmq_queue_hi_depth", queue="A") == 5
            assert value(text, "ibmmq_qmgr_interval_mqput_mqput1_total_count", qmgr="QM1") == 5
            assert value(text, "ibmmq_qmgr_mqput_mqput1_total", qmgr="QM1") == 5
            assert value(text, "ibmmq_qmgr_destructive_get_bytes_total") == 10
            assert value(text, "ibmmq_qmgr_status") == 2
            assert 'description="of \\"orders\\""' in text
            # counters go on, they do not begin anew with each scrape
            queue.get()
            again = scrape(server)
            assert value(again, "ibmmq_queue_mqget_count", queue="A") == 2
            assert value(again, "ibmmq_queue_mqput_mqput1_count", queue="A") == 5
            assert value(again, "ibmmq_queue_depth", queue="A") == 3


def test_scrape_when_a_statistics_interval_ends_too_then_nothing_is_lost() -> None:
    with ternmq.memory("QM1") as qmgr:
        qmgr.define_queue("A")
        qmgr.mqsc("ALTER QMGR STATMQI(ON) STATQ(ON)")
        with served(qmgr) as server, qmgr.queue("A") as queue:
            queue.put(b"one")
            assert value(scrape(server), "ibmmq_queue_mqput_mqput1_count", queue="A") == 1
            queue.put(b"two")
            shell = qmgr.started.shell
            with shell.lock:
                shell.engine.collector.end_statistics()
            shell.deliver(wait=True)
            queue.put(b"three")
            assert value(scrape(server), "ibmmq_queue_mqput_mqput1_count", queue="A") == 3


def test_scrape_when_queues_are_chosen_then_only_those() -> None:
    with ternmq.memory("QM1") as qmgr:
        for name in ("APP.ONE", "APP.TEMP", "OTHER"):
            qmgr.define_queue(name)
            qmgr.put(name, b"x")
        with served(qmgr, "APP.*", "!APP.TEMP") as server:
            text = scrape(server)
        assert 'queue="APP.ONE"' in text
        assert 'queue="APP.TEMP"' not in text
        assert 'queue="OTHER"' not in text


def test_scrape_when_a_queue_is_not_in_memory_then_it_is_loaded_and_shown(tmp_path: Path) -> None:
    with ternmq.embedded(tmp_path, "QM1", create=True) as qmgr:
        qmgr.define_queue("KEPT", default_persistence="YES")
        for _ in range(3):
            qmgr.put("KEPT", b"x")
    with ternmq.embedded(tmp_path, "QM1") as qmgr, served(qmgr, "KEPT") as server:
        while 'queue="KEPT"' not in (text := scrape(server)):
            qmgr.started.shell.run_effects()
        assert value(text, "ibmmq_queue_depth", queue="KEPT") == 3


def test_scrape_when_queues_are_deleted_then_they_are_forgotten() -> None:
    with ternmq.memory("QM1") as qmgr, served(qmgr) as server:
        for number in range(5):
            qmgr.define_queue(f"T{number}")
            qmgr.put(f"T{number}", b"x")
            qmgr.delete_queue(f"T{number}", purge=True)
        text = scrape(server)
        assert value(text, "ibmmq_qmgr_mqput_mqput1_total") == 5
        totals = qmgr.started.shell.engine.collector.totals
        assert totals is not None
        assert not [one for one in totals.queues.values() if one.local.name[0] == "T"]


def test_http_when_1_1_and_gzip_then_chunks_that_unpack_to_the_same() -> None:
    with ternmq.memory("QM1") as qmgr, served(qmgr) as server:
        request = b"GET /metrics?x=1 HTTP/1.1\r\nHost: a\r\nAccept-Encoding: deflate, gzip\r\n\r\n"
        head, _, body = ask(server.port, request).partition(b"\r\n\r\n")
        assert b"Transfer-Encoding: chunked" in head
        assert b"Content-Encoding: gzip" in head
        packed = b""
        while body:
            size, _, body = body.partition(b"\r\n")
            packed += body[: int(size, 16)]
            body = body[int(size, 16) + 2 :]
        assert gzip.decompress(packed).startswith(b"# HELP ibmmq_qmgr_status ")
        assert server.scrapes == 1


@pytest.mark.parametrize(
    ("request_line", "status"),
    [
        (b"GET / HTTP/1.1", b"200 OK"),
        (b"GET /other HTTP/1.1", b"404 Not Found"),
        (b"POST /metrics HTTP/1.1", b"405 Method Not Allowed"),
        (b"DELETE / HTTP/1.0", b"405 Method Not Allowed"),
        (b"TSH nonsense", b"400 Bad Request"),
        (b"GET /metrics HTTP/2.0", b"400 Bad Request"),
    ],
)
def test_http_when_something_else_is_asked_then_it_is_refused(
    request_line: bytes, status: bytes
) -> None:
    with ternmq.memory("QM1") as qmgr, served(qmgr) as server:
        answer = ask(server.port, request_line + b"\r\n\r\n")
        assert answer.startswith(b"HTTP/1.1 " + status)
        assert server.scrapes == 0


def test_http_when_the_request_is_endless_then_it_is_cut_off() -> None:
    with ternmq.memory("QM1") as qmgr, served(qmgr) as server:
        with socket.create_connection(("127.0.0.1", server.port)) as sock:
            with contextlib.suppress(OSError):  # cut off before all of it is sent
                sock.sendall(b"GET /metrics HTTP/1.1\r\nX-Long: " + b"x" * 20_000)
            assert _end_of(sock) == b""
        assert "ibmmq_qmgr_status{" in scrape(server)


def test_http_when_too_many_come_then_they_are_notified_so_and_others_go_on() -> None:
    with ternmq.memory("QM1") as qmgr, served(qmgr) as server:
        waiting = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(SCRAPES_MAX)]
        try:
            while len(server._sockets) < SCRAPES_MAX:
                pass  # until all of them are being served
            with socket.create_connection(("127.0.0.1", server.port)) as one:
                assert one.recv(4096).startswith(b"HTTP/1.1 503 ")
        finally:
            for one in waiting:
                one.close()


def many(qmgr: ternmq.QueueManager, queues: int) -> None:
    """So many queues, on each as many messages as its number's last digit says, and one."""
    for number in range(queues):
        qmgr.define_queue(f"Q{number}")
        with qmgr.queue(f"Q{number}", options=mq.MQOO_OUTPUT) as queue:
            for _ in range(number % 10 + 1):
                queue.put(b"x" * number)


def test_scrape_when_queues_are_many_then_each_has_its_own_figures() -> None:
    with ternmq.memory("QM1") as qmgr, served(qmgr, "Q*") as server:
        many(qmgr, 300)
        text = scrape(server)
        lines = re.findall(r'^ibmmq_queue_mqput_bytes\{.*queue="Q(\d+)".*\} (\d+)$', text, re.M)
        assert {int(one): int(size) for one, size in lines} == {
            number: number * (number % 10 + 1) for number in range(300)
        }
        total = sum(number % 10 + 1 for number in range(300))
        assert value(text, "ibmmq_qmgr_mqput_mqput1_total") == total


def test_http_when_a_reader_is_slow_then_it_is_cut_off() -> None:
    with ternmq.memory("QM1") as qmgr, served(qmgr, answer_s_max=0.5) as server:
        many(qmgr, 300)
        with socket.socket() as sock, qmgr.queue("Q0") as queue:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            sock.connect(("127.0.0.1", server.port))
            sock.sendall(b"GET /metrics HTTP/1.0\r\n\r\n")
            while not server.cut_off:
                queue.put(b"the queue manager goes on")
                queue.get()
        assert server.scrapes == 0


def test_port_when_taken_then_oserror() -> None:
    with ternmq.memory("QM1") as qmgr, served(qmgr) as server:
        metrics = Metrics(qmgr.started.shell)
        with pytest.raises(OSError, match=r"."):
            MetricsServer(metrics, "127.0.0.1", server.port)
