"""Programs of other brokers that no package of Debian 12 brings: made or fetched once, by the tools
of their own languages, and kept in the cache of this project; Artemis in `build`. `Missing` says
which tool is not there, or why it failed; then its column is left out.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Final

from benchmarks.brokers import Missing

NATS_SERVER: Final = "github.com/nats-io/nats-server/v2@v2.11.10"
PERF_TEST: Final = "2.22.1"
TOOL_S: Final = 900.0
POM: Final = f"""<project xmlns="http://maven.apache.org/POM/4.0.0">
<modelVersion>4.0.0</modelVersion>
<groupId>ternmq</groupId><artifactId>perf-test-fetcher</artifactId><version>1</version>
<dependencies><dependency>
<groupId>com.rabbitmq</groupId><artifactId>perf-test</artifactId><version>{PERF_TEST}</version>
</dependency></dependencies></project>
"""
HERE: Final = Path(__file__).resolve().parent
SOURCES: Final = HERE / "natsput"
FAN_SOURCES: Final = HERE / "fanclients"
ARTEMIS_SOURCES: Final = HERE / "artemis"
ARTEMIS_FOLDER: Final = HERE.parent / "build" / "artemis"


def cache_folder() -> Path:
    chosen = os.environ.get("TERNMQ_CACHE")
    if chosen:
        return Path(chosen, "rivals")
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "ternmq", "rivals")


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """One process at a time makes or fetches."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def run_tool(words: list[str], folder: Path, package: str, **environment: str) -> None:
    """A compiler or a fetcher, to its end."""
    if shutil.which(words[0]) is None:
        raise Missing(f"there is no {words[0]} (apt-get install {package})")
    try:
        done = subprocess.run(
            words,
            cwd=folder,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            timeout=TOOL_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise Missing(f"{' '.join(words)} took more than {TOOL_S:.0f} s") from error
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise Missing(f"{' '.join(words[:3])} failed: {said[-1] if said else 'it said nothing'}")


@cache
def forcing_nats_server() -> str:
    """A nats-server that knows `sync_interval: always`."""
    folder = cache_folder() / NATS_SERVER.rpartition("@")[2]
    program = folder / "nats-server"
    with held(folder):
        if not program.exists():
            run_tool(["go", "install", NATS_SERVER], folder, "golang-go", GOBIN=str(folder))
    return str(program)


@cache
def natsput() -> str:
    """The putter in Go."""
    folder = cache_folder() / "natsput"
    program = folder / "natsput"
    with held(folder):
        newest = max(path.stat().st_mtime for path in SOURCES.iterdir())
        if not program.exists() or program.stat().st_mtime < newest:
            run_tool(["go", "build", "-o", str(program), "."], SOURCES, "golang-go")
    return str(program)


@cache
def fan_client(name: str, library: str, package: str) -> str:
    """A client of the fan-out in C, linked with the broker's own library."""
    folder = cache_folder() / "fanclients"
    program = folder / name
    source = FAN_SOURCES / f"{name}.c"
    with held(folder):
        newest = max(path.stat().st_mtime for path in (source, FAN_SOURCES / "fan.h"))
        if not program.exists() or program.stat().st_mtime < newest:
            words = ["cc", "-O2", "-o", str(program), str(source), f"-l{library}"]
            run_tool(words, FAN_SOURCES, f"gcc {package}")
    return str(program)


@cache
def perf_test() -> list[str]:
    """RabbitMQ's PerfTest, as the words that begin its command."""
    if shutil.which("java") is None:
        raise Missing("there is no java (apt-get install default-jre-headless)")
    folder = cache_folder() / f"perf-test-{PERF_TEST}"
    jars = folder / "jars"
    with held(folder):
        if not (folder / "whole").exists():
            (folder / "pom.xml").write_text(POM, encoding="utf-8")
            words = ["mvn", "-q", "-B", "dependency:copy-dependencies", f"-DoutputDirectory={jars}"]
            run_tool(words, folder, "maven")
            (folder / "whole").touch()
    return ["java", "-cp", f"{jars}/*", "com.rabbitmq.perf.PerfTest"]


@cache
def artemis_select() -> list[str]:
    """ActiveMQ Artemis with the program that drives it, as the words that begin its command."""
    for program, package in (("java", "default-jre-headless"), ("javac", "default-jdk-headless")):
        if shutil.which(program) is None:
            raise Missing(f"there is no {program} (apt-get install {package})")
    pom, source = ARTEMIS_SOURCES / "pom.xml", ARTEMIS_SOURCES / "ArtemisSelect.java"
    jars, classes = ARTEMIS_FOLDER / "jars", ARTEMIS_FOLDER / "classes"
    with held(ARTEMIS_FOLDER):
        if is_older(ARTEMIS_FOLDER / "whole", pom):
            shutil.rmtree(jars, ignore_errors=True)
            words = ["mvn", "-q", "-B", "-f", str(pom), "dependency:copy-dependencies"]
            run_tool([*words, f"-DoutputDirectory={jars}"], ARTEMIS_FOLDER, "maven")
            (ARTEMIS_FOLDER / "whole").touch()
        if is_older(classes / "ArtemisSelect.class", source):
            words = ["javac", "-d", str(classes), "-cp", f"{jars}/*", str(source)]
            run_tool(words, ARTEMIS_FOLDER, "default-jdk-headless")
    return ["java", "-cp", f"{classes}{os.pathsep}{jars}/*"]


def is_older(made: Path, source: Path) -> bool:
    """Whether it has to be made, or made again."""
    return not made.exists() or made.stat().st_mtime < source.stat().st_mtime
