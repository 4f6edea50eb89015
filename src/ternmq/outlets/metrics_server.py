"""The HTTP port at which Prometheus finds the metrics of a queue manager, 9157 by habit.

    GET /metrics    the metrics, as text
    GET /           that they are served, as MQ's container says it
    anything else   404, 405, or 400 if it is not HTTP

A thread takes connections and one more serves each scrape, so that neither the engine nor an event
loop waits for a reader. All of it is bounded: scrapes at once, bytes of a request, time for the
request and for the answer. Each connection carries one request.
"""

from __future__ import annotations

import errno
import socket
import threading
import time
import zlib
from collections.abc import Iterable, Iterator
from typing import Final

from ternmq.outlets.measurement import LOOPBACK, METRICS_PORT
from ternmq.outlets.metrics import Metrics
from ternmq.outlets.restarting import LogMessage, OnFault, RestartedTask, went_well
from ternmq.telemetry.metrics.metric_text import BOTH, CONTENT_TYPE, metrics_text

# Linux reports here what became of a connection before its turn.
_GONE: Final = (errno.ECONNABORTED, errno.EPROTO, errno.EPERM)
REQUEST_S_MAX: Final = 5.0
ANSWER_S_MAX: Final = 30.0
REQUEST_BYTES_MAX: Final = 8192
SCRAPES_MAX: Final = 4
_BACKLOG: Final = 16
_CLOSE_GRACE_S: Final = 0.2
_PIECE_BYTES: Final = 65_536
_PLAIN: Final = "text/plain; charset=utf-8"
_REASONS: Final = {
    200: "OK",
    400: "Bad Request",
    404: "Not Found",
    405: "Method Not Allowed",
    503: "Service Unavailable",
}


class MetricsServer:
    """A port that serves metrics until `close`; OSError if it cannot be had."""

    def __init__(
        self,
        metrics: Metrics,
        address: str = LOOPBACK,
        port: int = METRICS_PORT,
        scheme: str = BOTH,
        answer_s_max: float = ANSWER_S_MAX,
        log_message: LogMessage | None = None,
        on_fault: OnFault | None = None,
    ) -> None:
        self._metrics = metrics
        self._scheme = scheme
        self._answer_s_max = answer_s_max
        self._closing = False
        self._sockets: set[socket.socket] = set()
        self._lock = threading.Lock()
        self.scrapes = 0  # answered in full
        self.cut_off = 0  # readers that were too slow, or went away
        self._listening = _bound(address, port)
        self.port: int = self._listening.getsockname()[1]
        self._on_fault = on_fault
        self.faults = 0  # scrapes that ended in an internal fault
        self._worker = RestartedTask(
            "METRICS", self._accept, log_message or _nobody, on_fault, "ternmq-metrics"
        )
        self._worker.start()

    def close(self) -> None:
        """Stop serving."""
        self._closing = True
        _shut(self._listening)
        self._worker.join()
        self._listening.close()  # also where its task was given up
        with self._lock:
            open_now = list(self._sockets)
        for one in open_now:
            _shut(one)

    def disown(self) -> None:
        """In a forked child, where no thread is left: our copy of the socket goes."""
        self._listening.close()

    def _accept(self) -> None:
        while not self._closing:
            try:
                sock, _ = self._listening.accept()
            except OSError as error:
                if error.errno in (errno.EBADF, errno.EINVAL):
                    break  # closed
                if error.errno not in _GONE:
                    time.sleep(1.0)  # no more files can be opened now, say
                continue
            with self._lock:
                is_free = len(self._sockets) < SCRAPES_MAX
                if is_free:
                    self._sockets.add(sock)
            if is_free:
                self._begin_scrape(sock)
            else:
                _refuse(sock)
        self._listening.close()

    def _begin_scrape(self, sock: socket.socket) -> None:
        name = "ternmq-metrics-scrape"
        try:
            threading.Thread(target=self._serve, args=(sock,), name=name, daemon=True).start()
        except RuntimeError:  # the system has no more threads now
            with self._lock:
                self._sockets.discard(sock)
            sock.close()
            raise

    def _serve(self, sock: socket.socket) -> None:
        doing = "a scrape of the metrics"
        with sock:  # whoever sees its end sees it counted
            is_well = went_well(lambda: self._serve_one(sock), self._on_fault, doing)
            with self._lock:
                self._sockets.discard(sock)
                if not is_well:
                    self.faults += 1

    def _serve_one(self, sock: socket.socket) -> None:
        try:
            # What a slow reader has the system keep is bounded, too.
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _PIECE_BYTES)
            head = _request(sock, time.monotonic() + REQUEST_S_MAX)
            answer = Answer(sock, head, time.monotonic() + self._answer_s_max)
            self._answer(answer)
        except OSError:
            with self._lock:
                self.cut_off += 1  # too slow, or gone

    def _answer(self, answer: Answer) -> None:
        if answer.method and answer.method != "GET":
            answer.short(405, "only GET is served\n")
        elif answer.path == "/metrics":
            answer.begin(200, CONTENT_TYPE)
            answer.send_all(metrics_text(self._metrics.subjects(), self._scheme))
            with self._lock:
                self.scrapes += 1
        elif answer.path == "/":
            answer.short(200, "Status: METRICS ACTIVE")
        elif answer.path:
            answer.short(404, "the metrics are at /metrics\n")
        else:
            answer.short(400, "this is not an HTTP request\n")


def _nobody(message: str, *inserts: str | int) -> None:
    """Where there are no operators."""


class Answer:
    """What is sent back on one connection."""

    def __init__(self, sock: socket.socket, head: bytes, deadline: float) -> None:
        self._sock = sock
        self._deadline = deadline
        lines = head.decode("latin-1").split("\r\n")
        words = lines[0].split(" ")
        is_http = len(words) == 3 and words[2] in ("HTTP/1.0", "HTTP/1.1")
        self.method = words[0] if is_http else ""
        self.path = words[1].partition("?")[0] if is_http else ""
        self._chunked = is_http and words[2] == "HTTP/1.1"
        self._gzip = any(
            line.lower().startswith("accept-encoding:") and "gzip" in line.lower()
            for line in lines[1:]
        )

    def short(self, status: int, text: str) -> None:
        """A whole answer."""
        body = text.encode("utf-8")
        allow = "Allow: GET\r\n" if status == 405 else ""
        head = (
            f"HTTP/1.1 {status} {_REASONS[status]}\r\nContent-Type: {_PLAIN}\r\n{allow}"
            f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        )
        self._send(head.encode("ascii") + body)

    def begin(self, status: int, content_type: str) -> None:
        """The head of an answer whose length is not known yet."""
        head = f"HTTP/1.1 {status} {_REASONS[status]}\r\nContent-Type: {content_type}\r\n"
        if self._gzip:
            head += "Content-Encoding: gzip\r\n"
        if self._chunked:
            head += "Transfer-Encoding: chunked\r\n"
        self._send(f"{head}Connection: close\r\n\r\n".encode("ascii"))

    def send_all(self, pieces: Iterable[str]) -> None:
        """The body, to its end."""
        for data in self._encoded(pieces):
            if self._chunked:
                self._send(b"%x\r\n%b\r\n" % (len(data), data))
            else:
                self._send(data)
        if self._chunked:
            self._send(b"0\r\n\r\n")

    def _encoded(self, pieces: Iterable[str]) -> Iterator[bytes]:
        packer = zlib.compressobj(1, zlib.DEFLATED, 31) if self._gzip else None
        waiting = bytearray()
        for piece in pieces:
            data = piece.encode("utf-8")
            waiting += data if packer is None else packer.compress(data)
            if len(waiting) >= _PIECE_BYTES:
                yield bytes(waiting)
                waiting.clear()
        if packer is not None:
            waiting += packer.flush()
        if waiting:
            yield bytes(waiting)

    def _send(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            self._sock.settimeout(_left(self._deadline))
            view = view[self._sock.send(view) :]


def _request(sock: socket.socket, deadline: float) -> bytes:
    """The head of a request; OSError if it does not come in time, or is too long."""
    data = b""
    while b"\r\n\r\n" not in data:
        if len(data) > REQUEST_BYTES_MAX:
            raise OSError(errno.EMSGSIZE, "the request is too long")
        sock.settimeout(_left(deadline))
        more = sock.recv(REQUEST_BYTES_MAX)
        if not more:
            raise OSError(errno.ECONNRESET, "it has gone")
        data += more
        if b"\n" in data and not data.partition(b"\n")[0].rstrip().endswith((b"1.0", b"1.1")):
            break  # no HTTP that is spoken here: said so at once
    return data.partition(b"\r\n\r\n")[0]


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError("too slow")
    return left


def _refuse(sock: socket.socket) -> None:
    with sock:
        try:
            sock.settimeout(_CLOSE_GRACE_S)
            sock.send(b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n")
            sock.shutdown(socket.SHUT_WR)
            sock.recv(REQUEST_BYTES_MAX)  # unread, it would take the answer with it
        except OSError:
            pass  # the client has gone: the answer is lost


def _bound(address: str, port: int) -> socket.socket:
    """A listening socket; an address of "*" is every one."""
    host = None if address in ("", "*") else address
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    family, _, _, _, place = found[0]
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind(place)
        sock.listen(_BACKLOG)
    except BaseException:
        sock.close()
        raise
    return sock


def _shut(sock: socket.socket) -> None:
    """Wake the thread that waits on it."""
    try:
        sock.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass  # it is closed already, or was never connected
