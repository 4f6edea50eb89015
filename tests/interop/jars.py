"""IBM's Java clients and the programs that use them: where their jars are, or why they cannot be
had.

`TERNMQ_JAVA_CLIENT` names a folder with those of the client; else they are in the user's cache
folder, where Maven puts them the first time. IBM's are under IBM's licence; none of them is a part
of this project. A kit is what one Java process has: a client, or a framework with its client.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from pathlib import Path
from typing import Final
from zlib import crc32

ARTIFACTS: Final = (
    "com.ibm.mq:com.ibm.mq.allclient:9.4.5.0",
    "javax.jms:javax.jms-api:2.0.1",
    "org.json:json:20240303",
    # for the names of cipher suites
    "com.fasterxml.jackson.core:jackson-annotations:2.16.0",
    "com.fasterxml.jackson.core:jackson-core:2.16.0",
    "com.fasterxml.jackson.core:jackson-databind:2.16.0",
)
_JAKARTA: Final = "com.ibm.mq:com.ibm.mq.jakarta.client:10.0.0.0"
_TRANSACTION: Final = "jakarta.transaction:jakarta.transaction-api:2.0.1"
JAVAX: Final = "javax"
KITS: Final[dict[str, tuple[str, ...]]] = {  # with all that they depend on
    "jakarta": (_JAKARTA,),
    "spring": ("com.ibm.mq:mq-jms-spring-boot-starter:4.1.0",),
    # Before 4.22 it sets JMS_IBM_MsgToken, which the client 10.0 refuses.
    "camel": (_JAKARTA, "org.apache.camel:camel-jms:4.22.0", "org.apache.camel:camel-core:4.22.0"),
    "narayana": (
        _JAKARTA,
        "org.jboss.narayana.jta:narayana-jta:7.3.4.Final",
        "org.jboss.logging:jboss-logging:3.6.1.Final",
        "org.jboss:jboss-transaction-spi:8.0.0.Final",
        _TRANSACTION,
    ),
    "atomikos": (
        _JAKARTA,
        "com.atomikos:transactions-jms:6.0.0:jakarta",
        "com.atomikos:transactions-jta:6.0.0:jakarta",
        _TRANSACTION,
    ),
}
_MAVEN_S: Final = 300


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


def kit_path(kit: str, fetches: bool) -> str:
    """The class path of a kit; NotHere says why there is none. Frameworks are large: tests take
    them only if `make interop` has fetched them."""
    if kit == JAVAX:
        return class_path()
    where = folder().parent / "java-kits" / f"{kit}-{crc32(_pom(kit).encode()):08x}"
    if not (where / _COMPLETE).is_file():
        if not fetches:
            raise NotHere(f"the jars of {kit} are not here; make interop fetches them")
        _fetch_kit(kit, where)
    return os.pathsep.join(str(path) for path in sorted(where.glob("*.jar")))


_COMPLETE: Final = "complete"


def _pom(kit: str) -> str:
    rows = []
    for artifact in KITS[kit]:
        group, name, version, *classifier = artifact.split(":")
        row = f"<groupId>{group}</groupId><artifactId>{name}</artifactId>"
        row += f"<version>{version}</version>"
        if classifier:  # what it depends on without one is the same for javax
            row += f"<classifier>{classifier[0]}</classifier><exclusions><exclusion>"
            row += "<groupId>com.atomikos</groupId><artifactId>transactions-jta</artifactId>"
            row += "</exclusion></exclusions>"
        rows.append(f"<dependency>{row}</dependency>")
    return (
        "<project><modelVersion>4.0.0</modelVersion><groupId>judge</groupId>"
        f"<artifactId>{kit}</artifactId><version>1</version><packaging>pom</packaging>"
        f"<dependencies>{''.join(rows)}</dependencies></project>\n"
    )


def _fetch_kit(kit: str, where: Path) -> None:
    if shutil.which("mvn") is None:
        raise NotHere(f"there is no mvn to fetch {', '.join(KITS[kit])}")
    where.mkdir(parents=True, exist_ok=True)
    with open(where / "lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if (where / _COMPLETE).is_file():
            return
        (where / "pom.xml").write_text(_pom(kit), encoding="utf-8")
        command = ["mvn", "-q", "-B", "-f", str(where / "pom.xml")]
        command += ["dependency:copy-dependencies", f"-DoutputDirectory={where}"]
        _maven([*command, "-DincludeScope=runtime"], ", ".join(KITS[kit]))
        (where / _COMPLETE).touch()


def _maven(command: list[str], wanted: str) -> None:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_MAVEN_S, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise NotHere(f"mvn did not bring {wanted} within {_MAVEN_S} s") from error
    if done.returncode != 0:
        lines = done.stdout.strip().splitlines()
        raise NotHere(f"mvn could not bring {wanted}: {lines[0] if lines else '?'}")


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
            _maven(command, artifact)
            if not (where / file_of(artifact)).is_file():
                raise NotHere(f"mvn did not bring {artifact}")
