"""G6 and G7: real processes under strace. G6: killed at the n-th call of a kind that changes the
disk. G7: the n-th force of the log fails with EIO; then nothing is answered any more, no force
follows, and the next start recovers.

strace counts the calls of each thread by itself, so the numbers are those of the main thread, as a
run without a fault has them. Without strace there are no points: what was not run is not shown.
"""

from __future__ import annotations

import functools
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from ternmq.base.reasons import MQRC_CONNECTION_BROKEN
from tests.proof.goal import Goal, Point, mine
from tests.proof.live_ledger import Queues, Reported, found, read, template

CHILD = Path(__file__).with_name("live_child.py")
CALLS = ("pwrite64", "pwritev", "fdatasync", "fsync", "renameat", "unlinkat")
STEPS = {1: 14, 2: 30, 3: 30}
SEEDS_KILL = {1: 2, 2: 13, 3: 65}
SEEDS_FORCE = {1: 1, 2: 3, 3: 12}
CHILD_S_MAX = 60


def strace_works() -> bool:
    """Whether processes can be traced here."""
    if shutil.which("strace") is None:
        return False
    done = subprocess.run(
        ["strace", "-qq", "-o", "/dev/null", "true"], capture_output=True, check=False
    )
    return done.returncode == 0


@functools.cache
def base() -> tuple[Path, Queues]:
    """A folder to copy, made once in a process."""
    folder = Path(tempfile.mkdtemp(prefix="ternmq-proof-"))
    return folder, template(folder)


class Run:
    """One life of the child under strace."""

    def __init__(self, seed: int, steps: int, options: list[str]) -> None:
        source, self.before = base()
        self.folder = tempfile.TemporaryDirectory(prefix="ternmq-proof-")
        self.data = Path(self.folder.name) / "data"
        shutil.copytree(source, self.data)
        self.trace = Path(self.folder.name) / "trace"
        command = ["strace", "-f", "-qq", "-o", str(self.trace), *options]
        command += [sys.executable, str(CHILD), str(self.data), str(seed), str(steps)]
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=CHILD_S_MAX, check=False
        )
        self.status = done.returncode
        self.complaint = done.stderr
        self.logged: Reported = read(done.stdout, self.before)

    def calls(self) -> list[tuple[str, str]]:
        """Thread and line of each call, as they came."""
        lines = self.trace.read_text(encoding="ascii", errors="replace").splitlines()
        return [(line.split()[0], line.split(maxsplit=1)[1]) for line in lines if " " in line]

    def recover(self) -> None:
        after = found(self.data)
        assert after in self.logged.possible, f"found {after}, possible {self.logged.possible}"
        self.folder.cleanup()


@functools.lru_cache(maxsize=8)
def counted(seed: int, steps: int) -> Counter[str]:
    """How many calls of each kind the main thread makes when nothing happens to it."""
    run = Run(seed, steps, ["-e", f"trace={','.join(CALLS)}"])
    assert run.logged.ended, run.complaint
    calls = run.calls()
    main = Counter(thread for thread, _ in calls).most_common(1)[0][0]
    run.recover()
    names = [line.partition("(")[0] for thread, line in calls if thread == main]
    return Counter(name for name in names if name in CALLS)


def kills(tier: int, shard: int, shards: int) -> Iterator[Point]:
    if not strace_works():
        return
    number = 0
    steps = STEPS[tier]
    for seed in range(SEEDS_KILL[tier]):
        for call, count in sorted(counted(seed, steps).items()):
            for at in range(1, count + 1):
                number += 1
                if tier == 1 and number % 3 == 0:
                    continue
                if mine(number, shard, shards):
                    yield Point(f"seed {seed}, {call} {at}", partial(kill, seed, steps, call, at))


def kill(seed: int, steps: int, call: str, at: int) -> str:
    # Not with --seccomp-bpf: strace 6 then delivers no signal.
    options = ["-e", f"trace={call}", "-e", f"inject={call}:signal=SIGKILL:when={at}"]
    run = Run(seed, steps, options)
    was_killed = run.status in (-9, 137)
    assert was_killed or run.logged.ended, f"it ended with {run.status}: {run.complaint}"
    run.recover()
    return "killed" if was_killed else "ended before"


def failing_forces(tier: int, shard: int, shards: int) -> Iterator[Point]:
    if not strace_works():
        return
    number = 0
    steps = STEPS[tier]
    for seed in range(SEEDS_FORCE[tier]):
        for at in range(1, counted(seed, steps)["fdatasync"] + 1, 2 if tier == 1 else 1):
            if mine(number, shard, shards):
                yield Point(f"seed {seed}, force {at}", partial(force_fails, seed, steps, at))
            number += 1


def force_fails(seed: int, steps: int, at: int) -> str:
    inject = f"inject=fdatasync:error=EIO:when={at}"
    trace = "trace=fdatasync,unlinkat"
    run = Run(seed, steps, ["--seccomp-bpf", "-y", "-e", trace, "-e", inject])
    lines = [line for _, line in run.calls()]
    calls = [line for line in lines if line.startswith("fdatasync")]
    failed = next((n for n, line in enumerate(calls) if "INJECTED" in line), None)
    assert failed is not None or run.logged.ended, run.complaint
    if failed is None:
        run.recover()
        return "ended before"
    if was_new(lines, calls[failed]):
        run.recover()
        return "a new file"
    is_log = "/log/" in calls[failed]
    if is_log:
        assert not run.logged.refused_then_answered, "something was answered after a failed force"
        assert not any("/log/" in line for line in calls[failed + 1 :]), "another force followed"
        assert set(run.logged.refused) <= {MQRC_CONNECTION_BROKEN}, run.logged.refused
    run.recover()
    if not run.logged.started:
        return "did not start"
    return "stopped" if is_log else "another file"


def was_new(lines: list[str], failed: str) -> bool:
    """Whether the force was of a log file that was being made: it is removed again, and the log,
    of which it was no part yet, goes on."""
    name = failed.partition("<")[2].partition(">")[0].rpartition("/")[2]
    after = lines[lines.index(failed) + 1 :]
    return name.endswith(".LOG") and any(
        line.startswith("unlinkat") and f'{name}"' in line for line in after[:3]
    )


GOAL_KILLS = Goal(
    "G6",
    "a real process is killed at the n-th write, sync, rename or unlink",
    ("P1",),
    shards={1: 16, 2: 40, 3: 200},
    needed={1: 150, 2: 2_000, 3: 10_000},
    points=kills,
    unit="kills",
)
GOAL_FORCES = Goal(
    "G7",
    "a force of the log fails in a real process: nothing is answered, no force follows",
    ("P9",),
    shards={1: 4, 2: 8, 3: 40},
    needed={1: 20, 2: 200, 3: 1_000},
    points=failing_forces,
    unit="failed forces",
)
