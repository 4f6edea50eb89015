"""Multicast between network namespaces, over a link that loses packets where the system can do so.

A queue manager and a subscriber are in one namespace, a publisher and a subscriber in another; the
bridge brings everything to a subscriber inside the queue manager. Needs root and iproute2.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

END = Path(__file__).with_name("multicast_namespace_end.py")
COUNT = 100


def run(*words: str) -> bool:
    """A command of iproute2; whether it went well."""
    return subprocess.run(words, capture_output=True, check=False).returncode == 0


@pytest.fixture
def namespaces() -> Iterator[tuple[str, str]]:
    """Two, with a link between 10.77.9.1 and 10.77.9.2."""
    if shutil.which("ip") is None or os.geteuid() != 0:
        pytest.skip("needs iproute2 and root")
    one, two = f"tmqa{os.getpid()}", f"tmqb{os.getpid()}"
    if not run("ip", "netns", "add", one):
        pytest.skip("network namespaces cannot be made here")
    try:
        run("ip", "netns", "add", two)
        made = ("link", "add", "va", "type", "veth", "peer", "name", "vb", "netns", two)
        assert run("ip", "-n", one, *made)
        for name, link, address in ((one, "va", "10.77.9.1/24"), (two, "vb", "10.77.9.2/24")):
            assert run("ip", "-n", name, "addr", "add", address, "dev", link)
            assert run("ip", "-n", name, "link", "set", link, "up")
            assert run("ip", "-n", name, "link", "set", "lo", "up")
        yield one, two
    finally:
        run("ip", "netns", "del", one)
        run("ip", "netns", "del", two)


def began(namespace: str, *words: str) -> subprocess.Popen[str]:
    """A process inside a namespace."""
    inside = ["ip", "netns", "exec", namespace, sys.executable, str(END), *words]
    pipe = subprocess.PIPE
    return subprocess.Popen(inside, stdin=pipe, stdout=pipe, text=True, env=dict(os.environ))


def line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def say(process: subprocess.Popen[str], text: str) -> None:
    assert process.stdin is not None
    process.stdin.write(f"{text}\n")
    process.stdin.flush()


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_publications_when_between_namespaces_then_all_arrive_in_order(
    namespaces: tuple[str, str],
) -> None:
    one, two = namespaces
    began_all: list[subprocess.Popen[str]] = []
    try:
        server = began(one, "serve", "10.77.9.1")
        began_all.append(server)
        conn = line(server)
        receivers = [began(name, "receive", conn, str(COUNT)) for name in (one, two)]
        began_all += receivers
        assert [line(process) for process in receivers] == ["joined", "joined"]
        loses = run("tc", "-n", two, "qdisc", "add", "dev", "vb", "root", "netem", "loss", "5%")
        sender = began(two, "send", conn, str(COUNT))
        began_all.append(sender)
        say(server, str(COUNT))
        assert [line(process) for process in receivers] == ["True", "True"]
        assert line(server) == "True"
        say(sender, "end")
        repairs = int(line(sender))
        assert repairs > 0 or not loses
        # The server ends last: until then, its clients may disconnect.
        assert [process.wait() for process in (*receivers, sender)] == [0, 0, 0]
        say(server, "end")
        assert server.wait() == 0
    finally:
        for process in began_all:
            process.kill()
            process.communicate()
