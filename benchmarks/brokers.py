"""The contenders of the network benchmark, and what each has to do.

A contender has two halves. The `Server` half lives in the measuring process: it starts the broker
on a free port of the loopback interface, empties its queues between rounds, and knows its
process. The `Party` half lives in the client processes (`network_worker`): it connects and does
the work, in the way that its client library does it best. Every client runs on the event loop that
comes with Python, the same for all.
"""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import shutil
import signal
import socket
import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Final

BODY: Final = bytes(range(256)) * 8  # 2 KB
LAST: Final = b"LAST" + BODY[4:]  # ends a stream
IDLE_S: Final = 1.0  # a stream that is silent for so long has lost its last message
START_S: Final = 60.0

Once = Callable[[], Awaitable[object]]


class Missing(Exception):
    """The contender cannot run here; the text says what to install."""


class Server(ABC):
    """A broker with its process."""

    name: str
    durable_name: str  # what its durable puts are called in the table

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self.process: subprocess.Popen[bytes] | None = None

    @classmethod
    @abstractmethod
    def check(cls) -> None:
        """Raise `Missing` if its server or its client is not there."""

    @abstractmethod
    def start(self) -> None:
        """Start it, and return when clients can connect."""

    def empty(self) -> None:
        """Between rounds: what the last round left is removed, where clients do not do it."""
        return

    @property
    def pid(self) -> int:
        """The process whose CPU counts, with its children."""
        if self.process is None:
            raise RuntimeError(f"{self.name} does not run")
        return self.process.pid

    def stop(self) -> None:
        """End it."""
        if self.process is not None:
            end(self.process)
            self.process = None

    def launch(self, *words: str, environment: dict[str, str] | None = None) -> None:
        """Start the process; what it says goes to a file in the folder."""
        with (self.folder / "said").open("wb") as said:
            self.process = subprocess.Popen(
                list(words), env=environment, cwd=self.folder, stdout=said, stderr=said
            )

    def await_port(self) -> None:
        """Return when somebody listens on the port."""
        limit = time.monotonic() + START_S
        while time.monotonic() < limit:
            if self.process is not None and self.process.poll() is not None:
                break
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                time.sleep(0.05)
        said = (self.folder / "said").read_text(errors="replace")[-500:]
        raise Missing(f"{self.name} does not start: {said}")


class StreamParty(ABC):
    """One client process of a contender that only sends or receives."""

    def __init__(self, port: int) -> None:
        self.port = port

    @abstractmethod
    async def open_sender(self) -> Callable[[float], Awaitable[int]]:
        """Called with seconds, it puts transient messages for so long, then LAST; how many."""

    @abstractmethod
    async def open_receiver(self) -> Callable[[], Awaitable[tuple[int, float]]]:
        """Called, it takes messages until LAST; how many, and seconds from the first to it."""

    @abstractmethod
    async def close(self) -> None:
        """Everything that was opened."""


class Party(StreamParty):
    """One client process of a contender that does everything."""

    @abstractmethod
    async def durable_putter(self) -> Once:
        """A connection or channel of its own; called, it puts one durable message and returns when
        the broker has confirmed it."""

    @abstractmethod
    async def requester(self) -> Once:
        """Called, it sends one request and returns with its reply."""

    @abstractmethod
    async def open_replier(self) -> Callable[[], Awaitable[None]]:
        """Called, it answers requests until it is cancelled."""

    @abstractmethod
    async def idle_connection(self) -> object:
        """One more connection that does nothing."""


class Tally:
    """What a receiver counts."""

    def __init__(self) -> None:
        self.count = 0
        self.first = 0.0
        self.last = 0.0

    def begin(self) -> None:
        """The first message is here."""
        self.first = self.last = time.perf_counter()

    def stop(self) -> tuple[int, float]:
        """After the last one: how many came after the first, in how many seconds."""
        self.last = time.perf_counter()
        return self.result()

    def result(self) -> tuple[int, float]:
        return self.count, max(self.last - self.first, 1e-9)


def client_library(name: str, package: str) -> Any:
    """A client library by its module; `Missing` without it."""
    if importlib.util.find_spec(name.partition(".")[0]) is None:
        raise Missing(f"{package} is not installed (pip install ternmq[bench])")
    return importlib.import_module(name)


def program(name: str, package: str, *places: str) -> str:
    """A broker's program; `Missing` without it."""
    for found in (shutil.which(name), *places):
        if found is not None and Path(found).exists():
            return found
    raise Missing(f"{name} is not installed (apt-get install {package})")


def free_port() -> int:
    """A port that nobody uses."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


def end(process: subprocess.Popen[bytes]) -> None:
    """SIGTERM, and SIGKILL to who does not listen."""
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(15)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


async def await_true(asked: Callable[[], Awaitable[bool]]) -> None:
    """Return when it says yes."""
    limit = time.monotonic() + START_S
    while not await asked():
        if time.monotonic() > limit:
            raise Missing("does not answer")
        await asyncio.sleep(0.2)


async def until_cancelled() -> None:
    """For repliers whose library calls back."""
    await asyncio.Event().wait()


def server_of(name: str) -> type[Server]:
    """The server half of a contender."""
    kind: type[Server] = importlib.import_module(f"benchmarks.brokers_{name}").BrokerServer
    return kind


def party_of(name: str) -> type[StreamParty]:
    """The client half; `name.KIND` for another than the usual one."""
    module, _, kind = name.partition(".")
    found: type[StreamParty] = getattr(
        importlib.import_module(f"benchmarks.brokers_{module}"), kind or "BrokerParty"
    )
    return found
