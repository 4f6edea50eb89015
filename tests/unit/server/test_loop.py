"""The loop of a queue manager's process: uvloop where it is there, asyncio's where it is not or is
asked for.
"""

from __future__ import annotations

import asyncio
import sys

import pytest

from ternmq.server.loop import VARIABLE, run


def module_of_loop() -> str:
    """Of which module the loop is that `run` takes."""
    found: list[str] = []

    async def look() -> None:
        found.append(type(asyncio.get_running_loop()).__module__)

    run(look())
    return found[0]


def test_uvloop_is_taken_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("uvloop")
    monkeypatch.delenv(VARIABLE, raising=False)
    assert module_of_loop().startswith("uvloop")


def test_asyncio_is_taken_where_uvloop_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setitem(sys.modules, "uvloop", None)
    assert module_of_loop().startswith("asyncio")


def test_asyncio_is_taken_where_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "asyncio")
    assert module_of_loop().startswith("asyncio")
