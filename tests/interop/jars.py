"""IBM's Java client: where its jars are, or why they cannot be had.

`TERNMQ_JAVA_CLIENT` names a folder with them; else they are in the user's cache folder, where Maven
puts them the first time. They are IBM's, under IBM's licence, and no part of this project.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from pathlib import Path
from typing import Final

ARTIFACTS: Final = (
    "com.ibm.mq:com.ibm.mq.allclient:9.4.5.0",
    "javax.jms:javax.jms-api:2.0.1",
    "org.json:json:20240303",
    # for the names of cipher suites
    "com.fasterxml.jackson.core:jackson-annotations:2.16.0",
    "com.fasterxml.jackson.core:jackson-core:2.16.0",
    "com.fasterxml.jackson.core:jackson-databind:2.16.0",
)
_MAVEN_S: Final = 120


class NotHere(Exception):
    """The Java client cannot be used on this machine; the text says why."""


def file_of(artifact: str) -> str:
    _, name, version = artifact.split(":")
    return f"{name}-{version}.jar"


def folder() -> Path:
    given = os.environ.get("TERNMQ_JAVA_CLIENT", "")
    if given:
        return Path(given)
    cache = os.environ.get("XDG_CACHE_HOME", "") or os.path.expanduser("~/.cache")
    return Path(cache) / "ternmq" / "java-client"


def missing(where: Path) -> list[str]:
    return [one for one in ARTIFACTS if not (where / file_of(one)).is_file()]


def class_path() -> str:
    """What java and javac need to find the client; NotHere says why there is none."""
    for program in ("java", "javac", "keytool", "openssl"):
        if shutil.which(program) is None:
            raise NotHere(f"there is no {program} (make judges installs a JDK)")
    where = folder()
    if missing(where):
        _fetch(where)
    return os.pathsep.join(str(where / file_of(one)) for one in ARTIFACTS)


def _fetch(where: Path) -> None:
    """By Maven, one process at a time."""
    if shutil.which("mvn") is None:
        raise NotHere(f"{where} lacks jars of IBM's Java client, and there is no mvn to fetch them")
    where.mkdir(parents=True, exist_ok=True)
    with open(where / "lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for artifact in missing(where):
            command = ["mvn", "-q", "-B", "dependency:copy", f"-Dartifact={artifact}"]
            command.append(f"-DoutputDirectory={where}")
            try:
                done = subprocess.run(
                    command, capture_output=True, text=True, timeout=_MAVEN_S, check=False
                )
            except subprocess.TimeoutExpired as error:
                raise NotHere(f"mvn did not bring {artifact} within {_MAVEN_S} s") from error
            if done.returncode != 0 or not (where / file_of(artifact)).is_file():
                lines = done.stdout.strip().splitlines()
                raise NotHere(f"mvn could not bring {artifact}: {lines[0] if lines else '?'}")
