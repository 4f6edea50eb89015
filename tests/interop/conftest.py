"""One run of IBM's Java client for all tests of this folder, and for all workers of a run."""

from __future__ import annotations

import fcntl
import json
from dataclasses import asdict
from pathlib import Path

import pytest

from tests.interop.cases import all_cases
from tests.interop.jars import NotHere
from tests.interop.judge import Verdict
from tests.interop.run import run_all


@pytest.fixture(scope="session")
def java_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the run: verdicts.json, java.pcap, python.pcap. The first worker that wants it
    makes it, the others wait. Skipped where the client cannot be had."""
    shared = tmp_path_factory.getbasetemp().parent / "java_run"
    shared.mkdir(exist_ok=True)
    reported = shared / "verdicts.json"
    with open(shared / "lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not reported.exists():
            reported.write_text(json.dumps(_run(shared)), encoding="utf-8")
    found = json.loads(reported.read_text(encoding="utf-8"))
    if "not here" in found:
        pytest.skip(f"not shown: {found['not here']}")
    return shared


def _run(work: Path) -> dict[str, object]:
    cases = all_cases()
    try:
        verdicts, faults = run_all(work, cases)
    except NotHere as why:
        return {"not here": str(why)}
    found: dict[str, object] = {case.id: asdict(verdicts[case.number]) for case in cases}
    outcome = "failed" if faults else "passed"
    return {**found, "faults": asdict(Verdict(outcome, 0, ", ".join(faults)))}


@pytest.fixture(scope="session")
def verdicts(java_run: Path) -> dict[str, Verdict]:
    """The verdict on each case, by its id."""
    found = json.loads((java_run / "verdicts.json").read_text(encoding="utf-8"))
    return {name: Verdict(**verdict) for name, verdict in found.items()}
