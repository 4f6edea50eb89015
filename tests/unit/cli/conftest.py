"""Tools and samples on a queue manager in memory: what they connect to, read and write."""

import io
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import ternmq
from ternmq.api.connection import Connection
from ternmq.cli import attach


@pytest.fixture
def qm() -> Iterator[ternmq.QueueManager]:
    with ternmq.memory("QM1") as manager:
        yield manager


@pytest.fixture
def attached(qm: ternmq.QueueManager, monkeypatch: pytest.MonkeyPatch) -> ternmq.QueueManager:
    """Every tool gets a connection to `qm` by its name."""

    def connect(name: str, application: str, *more: Any) -> Connection:
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


class Kept:
    """A queue manager that a tool's `with` does not stop."""

    def __init__(self, qm: ternmq.QueueManager) -> None:
        self._qm = qm

    def __getattr__(self, name: str) -> Any:
        return getattr(self._qm, name)

    def __enter__(self) -> "Kept":
        return self

    def __exit__(self, *args: object) -> None:
        pass


@pytest.fixture
def linear(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ternmq.QueueManager]:
    """A queue manager with a linear log in a data folder; the administration tools get it."""
    with ternmq.embedded(
        tmp_path, "QM1", create=True, log_type="linear", log_file_pages=64
    ) as manager:

        def connect(name: str, application: str) -> Kept:
            if name not in ("", "QM1"):
                raise ternmq.MQError(2, 2058, verb="MQCONN", object=name)
            return Kept(manager)

        monkeypatch.setattr(attach, "attach_admin", connect)
        monkeypatch.setenv("TERNMQ_DATA", str(tmp_path))
        yield manager


@pytest.fixture
def down(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data folder of a queue manager that is down."""

    def connect(name: str, application: str) -> Kept:
        raise ternmq.Unavailable(2, 2059, verb="MQCONN", object="QM1", detail="not running")

    with ternmq.embedded(tmp_path, "QM1", create=True, log_file_pages=64) as manager:
        manager.define_queue("ORDERS")
        with manager.queue("ORDERS") as queue:
            queue.put("an order", persistent=True)
    monkeypatch.setattr(attach, "attach_admin", connect)
    monkeypatch.setenv("TERNMQ_DATA", str(tmp_path))
    return tmp_path
