"""`make interop`: the cases against a queue manager of its own, told and recorded.

python -m tests.interop.run [--only TEXT] [--keep FOLDER] [--record]
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import ternmq
from tests.interop import served
from tests.interop.cases import PLACES, JavaCase, all_cases
from tests.interop.jars import ARTIFACTS, JAVAX, KITS, NotHere, class_path
from tests.interop.judge import Verdict, compile_cases, judge, judge_kits
from tests.interop.traffic import java_traffic, python_traffic
from tools.layers import ROOT

RECORD = ROOT / "proof" / "interop" / "java.json"


def run_all(
    work: Path, cases: list[JavaCase], with_traffic: bool = True, fetches: bool = False
) -> tuple[dict[int, Verdict], list[str]]:
    """Verdicts, and the names of reports on faults of the queue manager. With traffic, some cases
    run once more through a relay, for tshark."""
    where = class_path()
    own = [case for case in cases if case.kit == JAVAX]
    compile_cases(where, work / "classes")
    data = work / "data"
    data.mkdir()
    with served.queue_manager(data, cases) as port:
        verdicts = judge(where, own, port, work, data / "client") if own else {}
        verdicts |= judge_kits(cases, port, work, data / "client", fetches)
        if with_traffic:
            again = work / "again"
            again.mkdir()
            (again / "classes").symlink_to(work / "classes")
            java_traffic(where, own, port, again, data / "client")
            python_traffic(port, again)
            for path in [*again.glob("*.pcap"), *again.glob("*.json")]:
                path.rename(work / path.name)
    return verdicts, [path.name for path in served.fault_reports(data)]


def record(cases: list[JavaCase], verdicts: dict[int, Verdict], seconds: float) -> None:
    outcomes: dict[str, dict[str, dict[str, str]]] = {}
    for case in cases:
        verdict = verdicts[case.number]
        reported = verdict.outcome
        if reported == "skipped":
            reported = f"skipped: {verdict.text[:200]}"
        elif reported != "passed":
            reported = verdict.text[:200]
        outcomes.setdefault(case.suite, {}).setdefault(case.method, {})[case.place] = reported
    RECORD.parent.mkdir(exist_ok=True)
    reported_of = {
        "client": ARTIFACTS[0],
        "kits": {kit: list(artifacts) for kit, artifacts in KITS.items()},
        "build": str(ternmq.build_info()).split(",")[0],
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "seconds": round(seconds),
        "places": {
            place.name: f"SHARECNV({place.sharing})"
            + (f", {place.cipher_spec}" if place.cipher_spec else ", TCP")
            for place in PLACES
        },
        "counts": dict(Counter(verdict.outcome for verdict in verdicts.values())),
        "cases": outcomes,
    }
    RECORD.write_text(json.dumps(reported_of, indent=1) + "\n", encoding="utf-8")


def main() -> int:
    line = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    line.add_argument("--only", default="", help="cases whose id has this in it")
    line.add_argument("--keep", default="", help="a folder that stays, for logs and traces")
    line.add_argument("--record", action="store_true", help="write proof/interop/java.json")
    asked = line.parse_args()
    cases = [case for case in all_cases() if asked.only in case.id]
    begun = time.monotonic()
    try:
        if asked.keep:
            work = Path(asked.keep)
            work.mkdir(parents=True)
            verdicts, faults = run_all(work, cases, False, True)
        else:
            with tempfile.TemporaryDirectory(prefix="tmq") as folder:
                verdicts, faults = run_all(Path(folder), cases, False, True)
    except NotHere as why:
        sys.stdout.write(f"not run: {why}\n")
        return 2
    seconds = time.monotonic() - begun
    for case in cases:
        verdict = verdicts[case.number]
        if verdict.outcome != "passed":
            sys.stdout.write(f"{verdict.outcome} {case.id} ({verdict.ms} ms): {verdict.text}\n")
    counts = Counter(verdict.outcome for verdict in verdicts.values())
    reported = ", ".join(f"{name} {count}" for name, count in sorted(counts.items()))
    sys.stdout.write(f"{len(cases)} cases in {seconds:.0f} s: {reported}; faults {len(faults)}\n")
    if asked.record:
        record(cases, verdicts, seconds)
    good = counts["passed"] + counts["skipped"] == len(cases)
    return 0 if good and not faults else 1


if __name__ == "__main__":
    sys.exit(main())
