"""Goal: the contest with other brokers leaves out what is not installed, and says so; a rate stands
beside its promise and its server's CPU.

Method: servers and clients that only pretend, and a PATH without the toolchains.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import bench_rivals, rival_tools
from benchmarks.bench_rivals import FORCED, NOT_FORCED, Rival
from benchmarks.brokers import Missing, Server
from benchmarks.figures import Figure, Settings
from benchmarks.network_crew import Round
from benchmarks.rival_clients import Client, round_of


class Pretended(Server):
    """Runs, and does nothing."""

    name = "Pretended"
    durable_name = "Pretended store"

    @classmethod
    def check(cls) -> None:
        return

    def start(self) -> None:
        return


class Slow(Client):
    """As a client for Python."""

    name = "in Python"

    def __init__(self, server: Server, putters: int, party: str, name: str) -> None:
        super().__init__(server, putters)
        self.name = name

    def go(self, seconds: float) -> Round:
        return round_of(1_000, 1.0, 0.05)


class Fast(Client):
    """As one in Go."""

    name = "fastest"

    def go(self, seconds: float) -> Round:
        return round_of(4_000, 1.0, 0.1)


class Absent(Fast):
    """Its toolchain is not there."""

    name = "absent"

    @staticmethod
    def check() -> None:
        raise Missing("there is no go (apt-get install golang-go)")


def figures(fastest: type[Client], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Figure]:
    rivals = {
        Rival("ternmq", "S", FORCED, "ours", None): Pretended(tmp_path),
        Rival("nats", "S", NOT_FORCED, "theirs", fastest): Pretended(tmp_path),
    }
    monkeypatch.setattr(bench_rivals, "PythonClient", Slow)
    monkeypatch.setattr(bench_rivals, "start", lambda *_: (rivals, []))
    return bench_rivals.run(Settings(tmp_path, 0.1, 1, True))


def test_rival_when_its_fastest_client_is_here_then_both_are_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reported = figures(Fast, tmp_path, monkeypatch)
    assert [one.name for one in reported] == [
        f"{putters} putters / Pretended store, {client}"
        for putters in (16, 64)
        for client in ("theirs", "fastest")
    ]
    assert [one.baseline_value for one in reported] == [1_000, 4_000, 1_000, 4_000]
    assert [one.ratio for one in reported] == [1.0, 0.25, 1.0, 0.25]
    assert reported[1].note == f"{NOT_FORCED}; server CPU 25 us a message, ours 50"


def test_rival_when_its_toolchain_is_missing_then_left_out_and_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reported = figures(Absent, tmp_path, monkeypatch)
    assert [one.name for one in reported[:-1]] == [
        "16 putters / Pretended store, theirs",
        "64 putters / Pretended store, theirs",
    ]
    assert reported[-1].value is None
    assert reported[-1].note == (
        "Pretended store by absent is left out: there is no go (apt-get install golang-go)"
    )


@pytest.mark.parametrize(
    ("tool", "program"), [("forcing_nats_server", "go"), ("natsput", "go"), ("perf_test", "java")]
)
def test_tool_when_it_cannot_be_made_then_the_program_that_lacks_is_named(
    tool: str, program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("TERNMQ_CACHE", str(tmp_path))
    wanted = getattr(rival_tools, tool).__wrapped__  # not what another call has found
    with pytest.raises(Missing, match=f"there is no {program} "):
        wanted()
