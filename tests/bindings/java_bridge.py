"""A Java process with IBM's client, which carries out verbs for tests (java/Bridge.java).

One process serves all tests of a worker; it is started by the first that wants it, and ends with
the worker. Where Java or the jars cannot be had, those tests are skipped.
"""

from __future__ import annotations

import atexit
import base64
import fcntl
import itertools
import json
import subprocess
import threading
from concurrent.futures import Future
from functools import cache
from pathlib import Path
from typing import Any, Final
from zlib import crc32

import pytest

from tests.conftest import JAVA_QUICK
from tests.interop.jars import NotHere, class_path, folder, missing

_SOURCE: Final = Path(__file__).parent / "java" / "Bridge.java"
USER: Final = "tester"  # as whom it works
_COMPILE_S: Final = 90


def _jars() -> str:
    """The class path of IBM's client, if `make interop` has fetched it."""
    if missing(folder()):
        pytest.skip("not shown: the jars of IBM's client are not here; make interop fetches them")
    try:
        return class_path()
    except NotHere as why:
        pytest.skip(f"not shown: {why}")


def _compiled(jars: str) -> str:
    """Where the class of the bridge is; the first worker that wants it compiles it."""
    where = folder().parent / f"java-bridge-{crc32(_SOURCE.read_bytes()):08x}"
    where.mkdir(parents=True, exist_ok=True)
    with open(where / "lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (where / "Bridge.class").is_file():
            command = ["javac", "-nowarn", "-proc:none", "-encoding", "UTF-8", "-d", str(where)]
            done = subprocess.run(
                [*command, "-cp", jars, str(_SOURCE)],
                capture_output=True,
                text=True,
                timeout=_COMPILE_S,
                check=False,
            )
            assert done.returncode == 0, done.stderr
    return str(where)


class Bridge:
    """The process, and what it was asked and has not answered."""

    def __init__(self) -> None:
        jars = _jars()
        made = _compiled(jars)
        settings = ["-Dcom.ibm.msg.client.commonservices.log.status=OFF", f"-Duser.name={USER}"]
        self._process = subprocess.Popen(
            ["java", *settings, *JAVA_QUICK.split(), "-cp", f"{made}:{jars}", "Bridge"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=made,
        )
        self._numbers = itertools.count(1)
        self._connections = itertools.count(1)
        self._asked: dict[int, Future[dict[str, Any]]] = {}
        self._lock = threading.Lock()
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()
        atexit.register(self._end)

    def new_connection(self) -> int:
        return next(self._connections)

    def call(self, connection: int, verb: str, **arguments: Any) -> dict[str, Any]:
        """A verb; what it answered, completion code and reason among it."""
        number = next(self._numbers)
        answer: Future[dict[str, Any]] = Future()
        self._asked[number] = answer
        line = json.dumps({"id": number, "connection": connection, "verb": verb, **arguments})
        pipe = self._process.stdin
        assert pipe is not None
        with self._lock:
            pipe.write(line.encode("utf-8") + b"\n")
            pipe.flush()
        found = answer.result()
        if "fault" in found:
            raise AssertionError(f"{verb}: {found['fault']}")
        return found

    def _listen(self) -> None:
        pipe = self._process.stdout
        assert pipe is not None
        for line in pipe:
            found = json.loads(line)
            self._asked.pop(found["id"]).set_result(found)
        for one in list(self._asked.values()):
            one.set_result({"fault": "the Java process has ended"})

    def kill(self) -> None:
        """End the process, without a word to queue managers."""
        self._process.kill()
        self._process.wait()

    def _end(self) -> None:
        self._process.kill()
        self._listener.join()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        self._process.wait()


@cache
def bridge() -> Bridge:
    """The one of this process."""
    return Bridge()


def wrapped(data: bytes) -> dict[str, str]:
    """Bytes as they travel."""
    return {"b64": base64.b64encode(data).decode("ascii")}


def unwrapped(value: dict[str, str]) -> bytes:
    return base64.b64decode(value["b64"])
