"""Writes docs/interop.md: what IBM's Java client found, case by case, in the last recorded run.

The verdicts are in proof/interop/java.json, which `make interop` writes. `--check` writes nothing
and exits 1 when the page differs.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
RECORD = ROOT / "proof" / "interop" / "java.json"
PAGE = ROOT / "docs" / "interop.md"
HEAD = """# IBM's Java client against our server

IBM's own Java client, unmodified, is the judge: the classes for Java (`com.ibm.mq`) and those for
JMS (`com.ibm.mq.jms`) in one Java process, against a queue manager in a process of its own, over
TCP with SHARECNV 0, 1 and 10, and over TLS 1.2 and 1.3. The cases are our own, in
[tests/interop/java](../tests/interop/java). Made by `tools/generate_interop.py` from the last
recorded run.

    make interop            run all cases, write proof/interop/java.json and this page
    make interop ARGS='--only JmsListeners --keep look'        some of them, with all logs

A JDK, Maven and openssl are needed (`make judges` installs them and tshark, as root on Debian).
Maven fetches the jars from Maven Central the first time, into the user's cache folder, or
`TERNMQ_JAVA_CLIENT` names a folder that has them. Where they cannot be had, the tests are skipped,
which shows nothing.

The traffic of such a run is also given to tshark, which must decode all of it as MQ without a
malformed frame and name every segment as we do ([test_tshark](../tests/interop/test_tshark.py)).

Open, and refused with a clear reason: topics and subscriptions, selectors on properties.

"""


def _cell(outcomes: dict[str, str], place: str) -> str:
    told = outcomes.get(place)
    if told is None:
        return ""
    return "yes" if told == "passed" else f"**no**: {told.replace('|', '/')}"


def page() -> str:
    told: dict[str, Any] = json.loads(RECORD.read_text(encoding="utf-8"))
    counts: dict[str, int] = told["counts"]
    total = sum(counts.values())
    failed = total - counts.get("passed", 0)
    lines = [HEAD, "## The last run\n\n"]
    lines.append(
        f"{told['client']}, {told['date']}, server {told['build']}, {told['seconds']} s with the "
        f"making of the queue manager: **{total} cases ran, {counts.get('passed', 0)} passed, "
        f"{failed} failed, {counts.get('lost', 0)} were skipped or lost.**\n\n"
    )
    lines += ["| place | channel |\n", "| --- | --- |\n"]
    lines += [f"| {name} | {about} |\n" for name, about in told["places"].items()]
    for suite, methods in told["cases"].items():
        places = [name for name in told["places"] if any(name in one for one in methods.values())]
        lines.append(f"\n## {suite}\n\n| case | {' | '.join(places)} |\n")
        lines.append(f"| --- |{' --- |' * len(places)}\n")
        for method, outcomes in methods.items():
            cells = " | ".join(_cell(outcomes, place) for place in places)
            lines.append(f"| {method.replace('_', ' ')} | {cells} |\n")
    return "".join(lines)


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
