"""Goal: sockets of people that nobody knows leave the descriptors that the log and the files need.

Method: a queue manager in a process whose limit of open files is 700. Silent sockets come until no
more are let in; then an application works, a queue is made and read from files, and control
commands are answered.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import ternmq
from ternmq.base.limits import UNAUTHENTICATED_MAX, UNAUTHENTICATED_OF_ADDRESS_MAX
from ternmq.log.parameters import CIRCULAR, LogParameters
from ternmq.ports.os_disk import kept_open_max
from ternmq.remote.local.folder_lookup import find
from ternmq.server.descriptors import (
    reserve,
    sockets_max,
    unauthenticated_max,
    unauthenticated_of_address_max,
)
from ternmq.server.folder.status_file import status_of
from tests.battery.places import until

LIMIT = 700
SMALL_LOG = LogParameters(CIRCULAR, 3, 2, 64, False)
LARGE_LOG = LogParameters(CIRCULAR, 100, 100, 64, True)


@pytest.mark.parametrize("limit", [64, 256, 700, 1024, 4096, 65_536])
@pytest.mark.parametrize("log", [SMALL_LOG, LARGE_LOG])
def test_limits_when_the_process_has_few_descriptors_then_files_keep_theirs(
    limit: int, log: LogParameters
) -> None:
    sockets = sockets_max(limit, log)
    if sockets > limit // 8:  # else the log alone takes most of them
        assert sockets + reserve(limit, log) <= limit
    assert kept_open_max(limit) <= limit // 4
    assert 1 <= unauthenticated_of_address_max(sockets) <= unauthenticated_max(sockets) <= sockets
    assert unauthenticated_max(sockets) <= UNAUTHENTICATED_MAX
    assert unauthenticated_of_address_max(sockets) <= UNAUTHENTICATED_OF_ADDRESS_MAX


@pytest.fixture
def limited(tmp_path: Path) -> Iterator[tuple[Path, int]]:
    """A running queue manager with a limit of open files, and its port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    environment = {**os.environ, "TERNMQ_DATA": str(tmp_path), "TERNMQ_LOOP": "asyncio"}
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)

    def command(*words: str) -> None:
        subprocess.run(
            [sys.executable, "-m", "ternmq", *words],
            env=environment,
            check=True,
            capture_output=True,
            timeout=20,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (LIMIT, LIMIT)),
        )

    command("crtmqm", "-lp", "3", "-ls", "2", "-lf", "256", "QM1")
    command("strmqm", "QM1")
    with ternmq.connect("QM1", data=tmp_path) as here:
        for text in (
            f"DEFINE LISTENER(L) TRPTYPE(TCP) IPADDR(127.0.0.1) PORT({port})",
            "START LISTENER(L)",
        ):
            assert all(answer.ok for answer in here.mqsc(text)), text
    yield tmp_path, port
    pid = status_of(find(str(tmp_path), "QM1").folder).pid
    if pid:
        os.kill(pid, signal.SIGKILL)
        until(lambda: not status_of(find(str(tmp_path), "QM1").folder).pid)


def open_descriptors(data: Path) -> int:
    pid = status_of(find(str(data), "QM1").folder).pid
    return len(os.listdir(f"/proc/{pid}/fd"))


@pytest.mark.timeout(60)
def test_silent_sockets_when_they_are_as_many_as_may_be_then_applications_and_files_go_on(
    limited: tuple[Path, int],
) -> None:
    data, port = limited
    with contextlib.ExitStack() as opened:
        for number in range(LIMIT):
            silent = socket.socket()
            opened.callback(silent.close)
            silent.bind((f"127.0.0.{number % 100 + 1}", 0))  # from many addresses
            silent.settimeout(5)
            silent.connect(("127.0.0.1", port))
        until(lambda: open_descriptors(data) < LIMIT - 100)
        with ternmq.connect("QM1", data=data) as connection:
            for number in range(40):
                name = f"Q{number}"
                connection.define_queue(name, persistent_buffer=65_536)
                queue = connection.queue(name)
                for _ in range(4):
                    queue.put(bytes(40_000), persistent=True)  # beyond the buffer: in files
            connection.checkpoint()
            for number in range(40):
                assert len(list(connection.queue(f"Q{number}"))) == 4
