"""Streams: ranges read by number, in process, and what a stream adds to a put.

Goals: 1 GB/s from memory, 300 MB/s from stream files (in the system's cache, each block against its
checksum). Baseline: copying as many bytes. Bytes are those of heads and bodies, 2 KB a body;
"every byte looked at" takes the checksum of each block that is handed out. A read asks for 8 MiB.
Puts are non-persistent, one thread, outside syncpoint; the queue is cleared by the get after each.
"""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import ternmq
from benchmarks.contest import Contest
from benchmarks.figures import AT_LEAST, Figure, Goal, Settings
from ternmq.base.checksum import crc32c
from ternmq.kernel import cursors, stream
from ternmq.kernel.connection import Connection, Handle
from ternmq.store.stream.numbered_stream import Stream

BODY = bytes(2048)
QUEUE = "STREAMED"
PLAIN = "PLAIN"
LARGE = 1 << 32
READ_BYTES = 8 << 20
UNIT = 1000


class Reader:
    """A connection that reads the stream of the queue."""

    def __init__(self, qmgr: ternmq.QueueManager) -> None:
        self.shell = qmgr.started.shell
        self.kernel = self.shell.engine.kernel
        with self.shell.lock:
            self.link: Connection = self.shell.engine.connect("bench", "bench")
            handle = stream.open_stream(self.kernel, self.link, QUEUE)
        if handle is None or handle.local is None or handle.local.queue.stream is None:
            raise RuntimeError("the queue has no stream")
        self.handle: Handle = handle
        self.stream: Stream = handle.local.queue.stream

    def read_all(self, *, look: bool, files: bool) -> float:
        """Bytes of heads and bodies a second, of the whole stream."""
        size = 0
        messages = 0
        number = int(self.stream.earliest)
        if files:
            with self.shell.lock:
                self.stream.evict(0)
        begin = time.perf_counter()
        while True:
            with self.shell.lock:
                call = stream.read(
                    self.kernel, self.link, self.handle, 0, number, bytes_max=READ_BYTES
                )
            while self.link.park is not None:
                self.shell.run_effects()
                with self.shell.lock:
                    stream.resume_read(self.kernel, call)
            if not call.parts:
                break
            if look:
                for part in call.parts:
                    crc32c(part.block)
            size += call.bytes
            messages += call.messages
            number = call.next_number
        took = time.perf_counter() - begin
        if messages == 0:
            raise RuntimeError("nothing was read")
        return size / took / 1e6


def define(qmgr: ternmq.QueueManager) -> None:
    """A queue with a cursor, and so a stream."""
    size: dict[str, Any] = {"nonpersistent_buffer": LARGE, "persistent_buffer": LARGE}
    qmgr.define_queue(QUEUE, max_depth=999_999_999, **size)
    qmgr.define_queue(PLAIN, max_depth=999_999_999, **size)
    shell = qmgr.started.shell
    with shell.lock:
        link = shell.engine.connect("bench", "bench")
        cursors.define_cursor(shell.engine.kernel, link, "BENCH", QUEUE, cursors.EARLIEST)


def fill(qmgr: ternmq.QueueManager, count: int) -> None:
    """Messages in units of work, so that filling is quick."""
    with qmgr.queue(QUEUE) as target:
        for start in range(0, count, UNIT):
            with qmgr.unit_of_work():
                for _ in range(min(UNIT, count - start)):
                    target.put(BODY, persistent=False)
            qmgr.started.shell.run_effects()


def copied(size: int) -> float:
    """Megabytes a second that this machine copies."""
    source = bytearray(1 << 20)
    begin = time.perf_counter()
    for _ in range(max(size >> 20, 1)):
        bytes(source)
    return size / (time.perf_counter() - begin) / 1e6


def reads(settings: Settings) -> list[Figure]:
    """From memory and from files."""
    count = settings.scaled(100_000, 20_000)
    held = 6_000  # what is in memory: 15 MB
    found: list[Figure] = []
    for name, messages, files, look, limit in (
        ("read from memory", held, False, False, 1000),
        ("read from memory, every byte looked at", held, False, True, 0),
        ("read from files", count, True, False, 300),
        ("read from files, every byte looked at", count, True, True, 0),
    ):
        folder = settings.place(f"streams-{len(found)}")
        with ternmq.embedded(folder, "BENCH", create=True, log_primary_files=16) as qmgr:
            define(qmgr)
            fill(qmgr, messages)
            reader = Reader(qmgr)

            def once(reader: Reader = reader, look: bool = look, files: bool = files) -> float:
                return reader.read_all(look=look, files=files)

            contest = Contest({"read": once, "copy": partial(copied, messages * 2460)}).run(
                settings.few
            )
        found.append(
            Figure(
                name,
                contest.value("read"),
                "MB/s",
                "copying",
                contest.value("copy"),
                contest.ratio("read", "copy"),
                Goal(AT_LEAST, limit) if limit else None,
                f"{messages:,} messages of 2 KB",
                contest.rounds["read"],
            )
        )
    return found


def puts(settings: Settings) -> Figure:
    """What a stream adds to put and get of a message."""
    count = settings.scaled(20_000, 4_000)
    folder = settings.place("streams-puts")
    with ternmq.embedded(folder, "BENCH", create=True, log_primary_files=16) as qmgr:
        define(qmgr)
        with qmgr.queue(QUEUE) as streamed, qmgr.queue(PLAIN) as plain:

            def once(target: ternmq.Queue) -> float:
                begin = time.perf_counter()
                for _ in range(count):
                    target.put(BODY, persistent=False)
                    target.get()
                return (time.perf_counter() - begin) / count * 1e6

            contest = Contest({"stream": lambda: once(streamed), "none": lambda: once(plain)}).run(
                settings.few
            )
    return Figure(
        "put + get with a stream",
        contest.value("stream"),
        "us",
        "without",
        contest.value("none"),
        contest.ratio("stream", "none"),
        None,
        f"{count:,} messages of 2 KB",
        contest.rounds["stream"],
    )


def run(settings: Settings) -> list[Figure]:
    """Reads, then puts."""
    return [*reads(settings), puts(settings)]
