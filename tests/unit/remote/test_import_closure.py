"""Goal: a program that only connects over TCP does not import an engine.

Method: a fresh process connects to a queue manager over a channel, puts and gets, then counts the
modules that it has.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.api.networked import Networked

MODULES_MAX = 120
ENGINE = ("admin", "engine", "host", "kernel", "log", "security", "store", "txn")

BLOCKING = """
import sys
import ternmq
with ternmq.connect("QM1", channel="APP.SVRCONN", conn=sys.argv[1]) as connection:
    connection.put("A", b"x", persistent=True)
    with connection.queue("A") as queue, connection.unit_of_work():
        assert queue.get().data == b"x"
        queue.put("y")
"""
ASYNCIO = """
import asyncio, sys
import ternmq.aio
async def main():
    async with ternmq.aio.connect("QM1", channel="APP.SVRCONN", conn=sys.argv[1]) as connection:
        await connection.put("A", b"x", persistent=True)
        async with connection.queue("A") as queue, connection.unit_of_work():
            assert (await queue.get()).data == b"x"
            await queue.put("y")
asyncio.run(main())
"""
REPORT = """
print(*sorted(name for name in sys.modules if name.startswith("ternmq")))
"""


@pytest.mark.parametrize("program", [BLOCKING, ASYNCIO], ids=["blocking", "asyncio"])
def test_client_when_it_connects_by_tcp_then_no_engine_and_few_modules(
    program: str, tmp_path: Path
) -> None:
    with Networked(tmp_path) as served:
        with served.connect() as connection:
            connection.define_queue("A")
        found = subprocess.run(
            [sys.executable, "-c", program + REPORT, served.conn],
            env={**os.environ, "TERNMQ_DATA": str(tmp_path / "none")},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert found.returncode == 0, found.stderr
    modules = found.stdout.split()
    assert [name for name in modules if name.split(".")[1:2] and name.split(".")[1] in ENGINE] == []
    assert len(modules) < MODULES_MAX
