"""Writes docs/reference/interop.md: what IBM's Java client found, case by case, in the last
recorded run.

The verdicts are in proof/interop, where `make interop` writes them. `--check` writes nothing
and exits 1 when the page differs.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
RECORD = ROOT / "proof" / "interop" / "java.json"
PYTHON = ROOT / "proof" / "interop" / "python.json"
PAGE = ROOT / "docs" / "reference" / "interop.md"
HEAD = """# IBM's Java client against our server

IBM's own Java clients, unmodified, are the judge: the classes for Java (`com.ibm.mq`) and those for
JMS 2.0 (`com.ibm.mq.jms`) in one Java process, against a queue manager in a process of its own,
over TCP with SHARECNV 0, 1 and 10, and over TLS 1.2 and 1.3. The cases of JMS are judged once more
by the client for Jakarta Messaging 3 (the places `jakarta` and `jakartatls`). Programs that people
use with these clients judge as well, each in a process of its own: the Spring Boot starter, Apache
Camel, Narayana and Atomikos. `JmsConnector` does what IBM's Kafka Connect sink does to write
exactly once. The cases are our own, in [tests/interop/java](../../tests/interop/java). Made by
`tools/generate_interop.py` from the last recorded run.

    make interop            run all cases and suites, write proof/interop and this page
    make interop ARGS='--only JmsListeners --keep look'        some of them, with all logs

A JDK, Maven and openssl are needed (`make judges` installs them and tshark, as root on Debian).
Maven fetches the jars from Maven Central the first time, into the user's cache folder, or
`TERNMQ_JAVA_CLIENT` names a folder that has those of the client. Where jars cannot be had, the
cases that need them are skipped, counted and named, which shows nothing.

The traffic of such a run is also given to tshark, which must decode all of it as MQ without a
malformed frame and name every segment as we do ([test_tshark](../../tests/interop/test_tshark.py)).

Topics and subscriptions of JMS are made by a verb of the system programming interface (SPI
SUBSCRIBE), whether the queue manager lists it or not. With SHARECNV(0) the client has no JMS 2.0,
and topics are commands in messages to it, as with PROVIDERVERSION(6): see
[queued publish/subscribe](../applications/queued-pubsub.md) for the queues that it then wants.

A close or stop in JMS that comes in the instant in which another thread begins to receive can last
as long as that receive: the client notifies the queue manager only if a call of the session is
under way, and a receive has checked for a close before it makes its call. No queue manager can see
that. The cases close and stop when the other thread waits in a get.

"""


def _cell(outcomes: dict[str, str], place: str) -> str:
    run = outcomes.get(place)
    if run is None:
        return ""
    if run == "passed":
        return "yes"
    if run.startswith("skipped"):
        return run.replace("|", "/")
    return f"**no**: {run.replace('|', '/')}"


def page() -> str:
    run: dict[str, Any] = json.loads(RECORD.read_text(encoding="utf-8"))
    counts: dict[str, int] = run["counts"]
    total = sum(counts.values())
    skipped = counts.get("skipped", 0)
    failed = total - counts.get("passed", 0) - skipped
    lines = [HEAD, "## The last run\n\n"]
    lines.append(
        f"{run['client']}, {run['date']}, server {run['build']}, {run['seconds']} s with the "
        f"making of the queue manager: **{total} cases ran, {counts.get('passed', 0)} passed, "
        f"{failed} failed or were lost, {skipped} were skipped.**\n\n"
    )
    lines += ["| kit | artifacts |\n", "| --- | --- |\n"]
    kits: dict[str, list[str]] = {"javax": [run["client"]], **run.get("kits", {})}
    lines += [f"| {kit} | {', '.join(names)} |\n" for kit, names in kits.items()]
    lines.append("\n")
    lines += ["| place | channel |\n", "| --- | --- |\n"]
    lines += [f"| {name} | {about} |\n" for name, about in run["places"].items()]
    for suite, methods in run["cases"].items():
        places = [name for name in run["places"] if any(name in one for one in methods.values())]
        lines.append(f"\n## {suite}\n\n| case | {' | '.join(places)} |\n")
        lines.append(f"| --- |{' --- |' * len(places)}\n")
        for method, outcomes in methods.items():
            cells = " | ".join(_cell(outcomes, place) for place in places)
            lines.append(f"| {method.replace('_', ' ')} | {cells} |\n")
    return "".join([*lines, *_python()])


def _python() -> list[str]:
    """The suites of Python libraries, which the same target runs."""
    run: dict[str, Any] = json.loads(PYTHON.read_text(encoding="utf-8"))
    lines = ["\n## The suites of ibmmq and pymqi\n\n"]
    lines.append(
        "The libraries' own tests, unchanged, by [ternmq.compat](../applications/compat-pymqi.md) "
        f"and a channel (`tests/interop/python_suites.py`, {run['date']}).\n\n"
    )
    lines += ["| suite | passed | failed | skipped | why they fail |\n"]
    lines += ["| --- | --- | --- | --- | --- |\n"]
    for name, suite in run["suites"].items():
        if "skipped" in suite:
            lines.append(f"| {name} {suite['version']} |  |  | not run | {suite['skipped']} |\n")
            continue
        counts = suite["counts"]
        figures = " | ".join(str(counts.get(one, 0)) for one in ("passed", "failed", "skipped"))
        reasons = Counter(suite["failed"].values())
        why = "; ".join(f"{count}: {reason}" for reason, count in reasons.items())
        lines.append(f"| {name} {suite['version']} | {figures} | {why} |\n")
    return lines


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare only; exit 1 on a difference")
    check_only: bool = parser.parse_args(arguments).check
    content = page()
    if PAGE.exists() and PAGE.read_text(encoding="utf-8") == content:
        return 0
    sys.stdout.write(f"{'differs' if check_only else 'written'}: {PAGE.name}\n")
    if check_only:
        return 1
    PAGE.write_text(content, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
