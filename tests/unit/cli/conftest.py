"""Tools and samples on a queue manager in memory: what they connect to, read and write."""

import io
import sys
from collections.abc import Iterator
from typing import Any

import pytest

import ternmq
from ternmq.cli import attach
from ternmq.client.connection import Connection


@pytest.fixture
def qm() -> Iterator[ternmq.QueueManager]:
    with ternmq.memory("QM1") as manager:
        yield manager


@pytest.fixture
def attached(qm: ternmq.QueueManager, monkeypatch: pytest.MonkeyPatch) -> ternmq.QueueManager:
    """Every tool gets a connection to `qm` by its name."""

    def connect(name: str, application: str, **more: Any) -> Connection:
        if name not in ("", "QM1"):
            raise ternmq.MQError(2, 2058, verb="MQCONNX", object=name)
        return qm.connect(application=application)

    monkeypatch.setattr(attach, "attach", connect)
    monkeypatch.setattr(attach, "attach_sample", connect)
    return qm


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Call it with what standard input shall hold."""

    def give(text: str) -> None:
        stream = io.TextIOWrapper(io.BytesIO(text.encode()), encoding="utf-8")
        monkeypatch.setattr(sys, "stdin", stream)

    return give
