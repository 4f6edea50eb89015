"""Runs IBM's Java client over the cases, in one process, and reads its verdicts."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.interop import served
from tests.interop.cases import JAVA, PLACES, JavaCase
from tests.interop.jars import JAVAX, KITS, NotHere, kit_path

_COMPILE_S: Final = 90
_RUN_S: Final = 500


@dataclass(frozen=True)
class Verdict:
    """What became of a case."""

    outcome: str  # passed, failed, hung, lost, skipped
    ms: int
    text: str


LOST: Final = Verdict("lost", 0, "the client ended before it told of this case")


_SHARED: Final = ("Case.java", "Cases.java", "Judge.java", "Place.java", "JmsCases.java")
_RENAMED: Final = (
    ("javax.jms", "jakarta.jms"),
    ("com.ibm.mq.jms", "com.ibm.mq.jakarta.jms"),
    ("com.ibm.msg.client.wmq", "com.ibm.msg.client.jakarta.wmq"),
)


def _sources(kit: str, into: Path) -> list[str]:
    """What is compiled for a kit. For Jakarta packages have other names; nothing else differs."""
    if kit == JAVAX:
        return [str(path) for path in sorted(JAVA.glob("*.java"))]
    made = into.with_name(f"{into.name}-sources")
    made.mkdir()
    wanted = [JAVA / name for name in _SHARED]
    if kit == "jakarta":
        wanted = [*wanted, *(one for one in JAVA.glob("Jms*.java") if one not in wanted)]
    for path in [*wanted, *(JAVA / kit).glob("*.java")]:
        text = path.read_text(encoding="utf-8")
        for old, new in _RENAMED:
            text = text.replace(old, new)
        (made / path.name).write_text(text, encoding="utf-8")
    return [str(path) for path in sorted(made.glob("*.java"))]


def compile_cases(class_path: str, into: Path, kit: str = JAVAX) -> None:
    into.mkdir()
    sources = _sources(kit, into)
    command = ["javac", "-nowarn", "-proc:none", "-encoding", "UTF-8", "-d", str(into)]
    done = subprocess.run(
        [*command, "-cp", class_path, *sources],
        capture_output=True,
        text=True,
        timeout=_COMPILE_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def _settings(port: int) -> str:
    lines = [
        "host=127.0.0.1",
        f"port={port}",
        f"queueManager={served.NAME}",
        f"user={served.USER}",
        f"password={served.PASSWORD}",
        f"administrator={served.ADMINISTRATOR}",
        f"administratorPassword={served.PASSWORD}",
    ]
    for place in PLACES:
        lines.append(f"{place.name}.channel={place.channel}")
        lines.append(f"{place.name}.cipherSuite={place.cipher_suite}")
    return "\n".join(lines) + "\n"


def _java(class_path: str, work: Path, client: Path) -> list[str]:
    stores = {
        "javax.net.ssl.trustStore": client / "trust.p12",
        "javax.net.ssl.trustStorePassword": served.STORE_PASSWORD,
        "javax.net.ssl.keyStore": client / "keys.p12",
        "javax.net.ssl.keyStorePassword": served.STORE_PASSWORD,
        "com.ibm.mq.cfg.useIBMCipherMappings": "false",
        "com.ibm.msg.client.commonservices.log.status": "OFF",
        # Java reads no element of a longer name, 1000 if nothing is said; MQ's limit is 4095.
        "jdk.xml.maxXMLNameLimit": 5000,
    }
    return [
        "java",
        "-Xmx1500m",
        "-XX:TieredStopAtLevel=1",
        "-Duser.name=javauser",
        *(f"-D{name}={value}" for name, value in stores.items()),
        "-cp",
        f"{work / 'classes'}:{class_path}",
        "Judge",
        str(work / "settings"),
        str(work / "plan"),
    ]


def judge_kits(
    cases: list[JavaCase], port: int, work: Path, client: Path, fetches: bool
) -> dict[int, Verdict]:
    """The verdicts of every kit but the first, each in a process and a folder of its own; skipped
    are those whose jars cannot be had."""
    found: dict[int, Verdict] = {}
    for kit in KITS:
        own = [case for case in cases if case.kit == kit]
        if not own:
            continue
        try:
            where = kit_path(kit, fetches)
        except NotHere as why:
            found |= {case.number: Verdict("skipped", 0, str(why)) for case in own}
            continue
        inside = work / kit
        inside.mkdir()
        compile_cases(where, inside / "classes", kit)
        found |= judge(where, own, port, inside, client)
    return found


def judge(
    class_path: str, cases: list[JavaCase], port: int, work: Path, client: Path
) -> dict[int, Verdict]:
    """The verdict on each case, by its number. What Java says besides is in `work`/said.txt."""
    (work / "settings").write_text(_settings(port), encoding="utf-8")
    plan = ("\t".join((str(c.number), c.place, c.suite, c.method, c.queue)) for c in cases)
    (work / "plan").write_text("\n".join(plan) + "\n", encoding="utf-8")
    with open(work / "said.txt", "wb") as said:
        try:
            output = subprocess.run(
                _java(class_path, work, client),
                stdout=subprocess.PIPE,
                stderr=said,
                cwd=work,
                timeout=_RUN_S,
                check=False,
            ).stdout
        except subprocess.TimeoutExpired as late:
            output = late.stdout or b""
    (work / "told.txt").write_bytes(output)
    found: dict[int, Verdict] = {}
    for line in output.decode("utf-8").splitlines():
        words = line.split("\t")
        if len(words) == 4:
            found[int(words[0])] = Verdict(words[1], int(words[2]), words[3])
    return {case.number: found.get(case.number, LOST) for case in cases}
