"""Goal (G9): a real process killed again and again under load loses nothing that was
acknowledged, gives nothing twice, and keeps the order; one data folder lives through all kills.
Method: see `kill_child` and `kill_ledger`. KILLS and KILL_SEED choose a longer or another run.
"""

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.integration.kill_ledger import Ledger

pytestmark = [
    pytest.mark.core,
    pytest.mark.walk,
    pytest.mark.promise("P1"),
    pytest.mark.promise("P2"),
]

KILLS = int(os.environ.get("KILLS", "20"))
SEED = int(os.environ.get("KILL_SEED", "1"))
CHILD = Path(__file__).with_name("kill_child.py")


def begin(data: Path, reports: Path, life: str, seed: int) -> "subprocess.Popen[bytes]":
    command = [sys.executable, str(CHILD), str(data), str(reports), life, str(seed)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def kill_after(child: "subprocess.Popen[bytes]", seconds: float, started: bool) -> str:
    """Kill it in the middle of whatever it does; what it said if it ended before, by itself."""
    if started and child.stdout is not None:
        child.stdout.readline()
    try:
        output, _ = child.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        child.kill()
        child.communicate()
        return ""
    return f"it ended by itself with {child.returncode}: {output.decode(errors='replace')}"


@pytest.mark.timeout(120 + 4 * KILLS)
def test_kill_when_under_load_then_nothing_lost_doubled_or_out_of_order(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ledger = kill_loop(tmp_path, KILLS, SEED)
    with capsys.disabled():
        print(f"\nkill loop, seed {SEED}: {ledger.summary()}")


def kill_loop(folder: Path, kills: int, seed: int) -> Ledger:
    """Kill it so many times, then drain it; everything must be accounted for."""
    chance = random.Random(seed)
    data, reports = folder / "data", folder / "reports"
    reports.mkdir()
    ledger = Ledger(reports)
    begun: list[str] = []  # lives that no inventory has told of yet
    for life in range(kills):
        child = begin(data, reports, str(life), seed)
        # One in ten is killed while it starts, restarts or takes stock.
        if chance.random() < 0.1:
            complaint = kill_after(child, chance.uniform(0.1, 0.6), False)
        else:
            complaint = kill_after(child, chance.choice((0.2, 0.8, 1.6)) * chance.random(), True)
        begun.append(str(life))
        settle(ledger, begun)
        assert not complaint, f"life {life} (seed {seed}): {complaint} {ledger.faults}"
        assert not ledger.faults, f"seed {seed}: {ledger.faults}; {ledger.summary()}"
    child = begin(data, reports, "drain", seed)
    output, _ = child.communicate()
    assert child.returncode == 0, output.decode(errors="replace")
    begun.append("drain")
    settle(ledger, begun)
    ledger.drained()
    assert not ledger.faults, f"seed {seed}: {ledger.faults}"
    assert ledger.kills == kills
    assert ledger.acknowledged > 100 * kills
    return ledger


def settle(ledger: Ledger, begun: list[str]) -> None:
    """Check the lives before the last one, if that one got as far as its inventory."""
    after = ledger.inventory(begun[-1])
    if after is None or len(begun) < 2:
        return
    # A life without an inventory did nothing that counts; the one before it is compared with this.
    ledger.kills += len(begun) - 2
    ledger.life(begun[0], after)
    del begun[:-1]
