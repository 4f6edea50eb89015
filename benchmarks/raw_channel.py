"""What the disk allows a channel: two processes, a file of zeros each, on the same disk, working
at the same time. One writes and forces what a receiver gets, a batch at a time; the other writes
and forces what a sender logs of each batch: in doubt before the confirmation, then committed.

    python -m benchmarks.raw_channel FOLDER receiver|sender PIECE_BYTES BATCHES PORT

A process makes its file, prints a line, waits for one, works, and prints its seconds. With a port
the bytes come from the sender over TCP, and the two work in the order of a channel: send, in doubt,
ask, write, confirm, committed. Without one (0) neither waits for the other.
"""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.brokers import free_port
from benchmarks.raw_disk import RawFile

RECORD_BYTES = 512  # in doubt, and committed
FILE_BYTES_MAX = 1 << 30
SEGMENT_BYTES = 32_768
RECORD = b"x" * RECORD_BYTES


def file_of(folder: Path, role: str, piece_bytes: int, pieces: int) -> RawFile:
    """Once around a file that fits is a file of zeros; more is what a circular log does too."""
    return RawFile(folder / role, max(piece_bytes, min(piece_bytes * pieces, FILE_BYTES_MAX)))


def begin() -> float:
    """Everything is made: when the work begins."""
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    return time.perf_counter()


def force_pieces(file: RawFile, data: bytes, pieces: int) -> None:
    for _ in range(pieces):
        file.write(data)
        file.force()


def receive(file: RawFile, peer: socket.socket, piece_bytes: int, batches: int) -> None:
    """Batches from a socket, each written, forced and confirmed."""
    buffer = bytearray(piece_bytes)
    view = memoryview(buffer)
    for _ in range(batches):
        at = 0
        while at < piece_bytes:
            at += peer.recv_into(view[at:])
        file.write(buffer)
        file.force()
        peer.sendall(b"!")


def send(file: RawFile, peer: socket.socket, piece_bytes: int, batches: int) -> None:
    """Batches to a socket; the last byte asks for the confirmation."""
    segment = b"x" * SEGMENT_BYTES
    for _ in range(batches):
        left = piece_bytes - 1
        while left:
            count = min(left, SEGMENT_BYTES)
            peer.sendall(segment[:count])
            left -= count
        force_pieces(file, RECORD, 1)
        peer.sendall(b"?")
        peer.recv(1)
        force_pieces(file, RECORD, 1)


def work(folder: Path, role: str, piece_bytes: int, batches: int, port: int) -> None:
    """One of the two processes."""
    if role == "receiver":
        file = file_of(folder, role, piece_bytes, batches)
        listener = socket.create_server(("127.0.0.1", port)) if port else None
        begun = begin()
        if listener is None:
            force_pieces(file, b"x" * piece_bytes, batches)
        else:
            with listener, listener.accept()[0] as peer:
                receive(file, peer, piece_bytes, batches)
    else:
        file = file_of(folder, role, RECORD_BYTES, 2 * batches)
        begun = begin()
        if port:
            with socket.create_connection(("127.0.0.1", port)) as peer:
                peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                send(file, peer, piece_bytes, batches)
        else:
            force_pieces(file, RECORD, 2 * batches)
    sys.stdout.write(f"{time.perf_counter() - begun}\n")
    file.close()


def raw_seconds(folder: Path, piece_bytes: int, batches: int, over_tcp: bool = False) -> float:
    """Seconds until both are done."""
    words = [sys.executable, "-m", "benchmarks.raw_channel"]
    numbers = [str(piece_bytes), str(batches), str(free_port() if over_tcp else 0)]
    roles = ("receiver", "sender")
    processes = [
        subprocess.Popen(
            [*words, str(folder), role, *numbers],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for role in roles
    ]
    for process in processes:
        if process.stdout is None or process.stdout.readline() != "ready\n":
            raise RuntimeError("a process of the baseline does not start")
    for process in processes:
        if process.stdin is not None:
            process.stdin.write("\n")
            process.stdin.flush()
    seconds = [float(process.communicate()[0]) for process in processes]
    for role in roles:
        (folder / role).unlink()
    return max(seconds)


if __name__ == "__main__":
    work(Path(sys.argv[1]), sys.argv[2], *(int(word) for word in sys.argv[3:6]))
