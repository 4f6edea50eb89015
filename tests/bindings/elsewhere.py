"""A program in a process of its own that works by a binding, and that a test can kill.

`Elsewhere` starts it: it connects, calls a function of the tests with its connection, says so, and
waits. The end of the block kills it, with the Java process that it may have.
"""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Self

import ternmq
from tests.bindings import bound
from tests.unit.api.networked import Networked

_SELF = "tests.bindings.elsewhere"
_KEPT: list[object] = []  # what the function returned lives as long as the process
_ROOT = Path(__file__).resolve().parents[2]


def connected(binding: str, served: Any) -> ternmq.Connection:
    """By one of our own bindings, or by another one."""
    if binding == "local":
        return ternmq.connect(served.name, data=served.data)
    if binding == "tcp":
        connection: ternmq.Connection = served.connect()
        return connection
    return bound.connect(binding, served)


class Elsewhere:
    """The program; inside the block its function has returned."""

    def __init__(self, binding: str, served: Networked, function: str, *arguments: Any) -> None:
        given = {
            "binding": binding,
            "name": served.name,
            "way": served.way,
            "data": str(served.data),
            "function": function,
            "arguments": arguments,
        }
        self._process = subprocess.Popen(
            [sys.executable, "-m", _SELF, json.dumps(given)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=_ROOT,
        )

    def __enter__(self) -> Self:
        pipe = self._process.stdout
        assert pipe is not None
        assert pipe.readline() == "done\n"
        return self

    def kill(self) -> None:
        """It ends without a word to the queue manager."""
        if self._process.poll() is None:
            pipe = self._process.stdin
            assert pipe is not None
            pipe.write("end\n")
            pipe.flush()
            self._process.wait(30)

    def __exit__(self, *_: object) -> None:
        self.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()


def _main(given: dict[str, Any]) -> None:
    def connect(**options: Any) -> ternmq.Connection:
        return ternmq.connect(given["name"], **given["way"], **options)

    served = SimpleNamespace(
        name=given["name"], conn=given["way"]["conn"], data=given["data"], connect=connect
    )
    connection = connected(given["binding"], served)
    module, _, name = given["function"].rpartition(".")
    function = getattr(importlib.import_module(module), name)
    _KEPT.append(function(connection, *given["arguments"]))
    print("done", flush=True)
    sys.stdin.readline()
    bound.kill_all(given["binding"])


if __name__ == "__main__":
    _main(json.loads(sys.argv[1]))
