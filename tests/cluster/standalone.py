"""A standalone cluster of Spark on this machine: a master and workers, each its own process.

They listen on the loopback, on ports that the system chooses, and end with the block.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

START_S = 180
LOOK_S = 0.2
_MASTER = "org.apache.spark.deploy.master.Master"
_WORKER = "org.apache.spark.deploy.worker.Worker"


class ClusterError(Exception):
    """It did not start."""


def environment(*more: str) -> dict[str, str]:
    """What daemons and drivers of the cluster see: this Python, this Java, the loopback; `more` is
    where Python looks besides."""
    from ternmq.spark.java import find_java

    paths = [*os.environ.get("PYTHONPATH", "").split(os.pathsep), *more]
    return {
        **os.environ,
        # Executors work in folders of their own, where a path from here leads nowhere.
        "PYTHONPATH": os.pathsep.join(os.path.abspath(path) for path in paths if path),
        "JAVA_HOME": str(find_java().home),
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
    }


@contextmanager
def standalone(folder: Path, workers: int = 2, paths: tuple[str, ...] = ()) -> Iterator[str]:
    """A cluster with workers of one core each; the address of its master. Each worker has a host of
    its own, as far as Spark can see: it begins no second attempt of a task on the same one."""
    with ExitStack() as stack:
        log = folder / "master.log"
        master = [_MASTER, "--host", "127.0.0.1", "--port", "0", "--webui-port", "0"]
        process = stack.enter_context(daemon(master, log, paths))
        address = reported(process, log, r"Starting Spark master at (spark://[\d.]+:\d+)")
        for number in range(workers):
            log = folder / f"worker{number}.log"
            options = ["--host", f"127.0.0.{number + 1}", "--cores", "1", "--memory", "1g"]
            options += ["--webui-port", "0", "--work-dir", str(folder / f"work{number}")]
            process = stack.enter_context(daemon([_WORKER, *options, address], log, paths))
            reported(process, log, r"(Successfully registered with master)")
        yield address


@contextmanager
def daemon(
    words: list[str], log: Path, paths: tuple[str, ...] = ()
) -> Iterator[subprocess.Popen[bytes]]:
    import pyspark

    program = Path(pyspark.__file__).parent / "bin" / "spark-class"
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as stream:
        process = subprocess.Popen(
            [str(program), *words], env=environment(*paths), stdout=stream, stderr=stream
        )
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


def reported(process: subprocess.Popen[bytes], log: Path, pattern: str) -> str:
    """What a daemon says once it is ready."""
    until = time.monotonic() + START_S
    while time.monotonic() < until:
        found = re.search(pattern, log.read_text(encoding="utf-8", errors="replace"))
        if found:
            return found[1]
        try:
            process.wait(LOOK_S)
        except subprocess.TimeoutExpired:
            continue
        break
    raise ClusterError(f"it did not start: {log}")
