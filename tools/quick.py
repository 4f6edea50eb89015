"""`make quick`: the tests of what changed, nearest first, and the battery's core, in three minutes.

The import graph (tools/import_graph.py) says which test modules import a changed file, directly or
through others. A change to the core reaches most of them: then the nearest run, and the time is
the limit. What was left out is counted. It is for the working day; `make test` judges a change.

    python -m tools.quick [--base REVISION] [--seconds 180] [--modules 120] [--list]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tools import quick_limit
from tools.import_graph import Graph, module_of

ROOT: Final = Path(__file__).resolve().parent.parent
TRUNK: Final = "origin/main"
FIRST_CONFTEST: Final = "tests/conftest.py"
# who changes these changes what every test stands on
FOUNDATIONS: Final = frozenset({FIRST_CONFTEST, "pyproject.toml", "tools/constraints.txt"})
BATTERY: Final = quick_limit.BATTERY
MODULES_MAX: Final = 120
SECONDS: Final = 180.0
SPARE_S: Final = 45.0  # for the tests that started last, and for pytest's own end
SHOWN: Final = 12
NOT_HERE: Final = "not spark and not walk"  # minutes each; make test has them


@dataclass(frozen=True)
class Choice:
    """What is to run, nearest first, with the way from each test module to a changed file."""

    ways: dict[str, list[str]]
    left_out: list[str]  # reached, but beyond the bound
    modules: int  # all test modules

    @property
    def steps(self) -> Counter[int]:
        return Counter(len(way) - 1 for way in self.ways.values())


def git(*words: str) -> list[str]:
    """The lines that git answers."""
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"quick: git {' '.join(words)}: {done.stderr.strip()}")
    return done.stdout.splitlines()


def known(revision: str) -> str | None:
    words = ["git", "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    return done.stdout.strip() or None


def changed_since(base: str | None) -> tuple[str, list[str]]:
    """The revision to compare with, and the files that differ from it, committed or not.

    Without a base: the trunk; when nothing differs from that, the commit before.
    """
    if base is not None:
        if known(base) is None:
            raise SystemExit(f"quick: {base} is not a revision; set BASE to one that git knows")
        return base, differing(base)
    if known(TRUNK) is not None:
        (fork,) = git("merge-base", "HEAD", TRUNK)[:1] or [TRUNK]
        found = differing(fork)
        if found:
            return TRUNK, found
    if known("HEAD~1") is None:
        raise SystemExit("quick: there is no commit before this one; set BASE to a revision")
    return "HEAD~1", differing("HEAD~1")


def differing(revision: str) -> list[str]:
    tracked = git("diff", "--name-only", "--diff-filter=d", revision, "--")
    return sorted({*tracked, *git("ls-files", "--others", "--exclude-standard")})


def is_test(path: str) -> bool:
    return path.startswith("tests/") and path.rpartition("/")[2].startswith("test_")


def mirrors(changed: Iterable[str]) -> tuple[str, ...]:
    """The folders of tests that mirror the changed packages."""
    places = {path.rpartition("/")[0] for path in changed if path.startswith("src/ternmq/")}
    return tuple(f"tests/unit/{place.removeprefix('src/ternmq/')}/" for place in sorted(places))


def choose(graph: Graph, changed: Sequence[str], modules_max: int = MODULES_MAX) -> Choice:
    """The test modules that reach a change, at most so many; the folder of its name goes first."""
    tests = [path for path in graph.sources if is_test(path)]
    if FOUNDATIONS.isdisjoint(changed):
        reached = graph.reached(changed, ends=[FIRST_CONFTEST])
    else:
        reason = sorted(FOUNDATIONS & set(changed))[0]
        reached = {path: [path, reason] for path in tests}
        reached |= {path: [path] for path in changed}
    near = mirrors(changed)
    found = sorted(
        (path for path in tests if path in reached),
        key=lambda path: (len(reached[path]), not path.startswith(near or "/"), path),
    )
    kept = found[:modules_max]
    return Choice({path: reached[path] for path in kept}, found[modules_max:], len(tests))


def short_name(path: str) -> str:
    return module_of(path) or path


def explain(base: str, changed: Sequence[str], choice: Choice) -> list[str]:
    """The sentences that stand before the run."""
    lines = [f"{len(changed)} files differ from {base}:"]
    lines += [f"  {path}" for path in changed[:SHOWN]]
    if len(changed) > SHOWN:
        lines.append(f"  and {len(changed) - SHOWN} more")
    reached = len(choice.ways) + len(choice.left_out)
    lines.append(f"{reached} of {choice.modules} test modules reach them by their imports")
    if choice.left_out:
        lines.append(
            f"that is more than {len(choice.ways)}: the nearest {len(choice.ways)} run,"
            f" {len(choice.left_out)} are left out (make test has them)"
        )
    for steps, count in sorted(choice.steps.items()):
        how = "have changed" if steps == 0 else f"are {steps} step{'s'[: steps > 1]} away"
        lines.append(f"  {count} {how}")
    ways = list(choice.ways.values())
    lines += ["  " + " < ".join([way[0], *map(short_name, way[1:])]) for way in ways[:SHOWN]]
    if len(ways) > SHOWN:
        lines.append(f"  and {len(ways) - SHOWN} more, see build/quick.txt")
    lines.append("and the battery's core: in memory and over TCP, without the deep queues")
    return lines


def command(choice: Choice, processes: int) -> list[str]:
    """pytest, the battery first. One by one, or the second worker would begin with the farthest."""
    chosen = [path for path in choice.ways if not path.startswith(BATTERY)]
    words = [sys.executable, "-m", "pytest", "-q", "-p", "tools.quick_limit", "-m", NOT_HERE]
    words += ["-n", str(processes), "--dist", "load", "--maxschedchunk", "4"]
    return [*words, BATTERY.rstrip("/"), *chosen]


def run(choice: Choice, started: float, seconds: float, processes: int) -> int:
    """Test until the time is over; say what did not start."""
    left_out = ROOT / "build" / "quick-left-out.txt"
    left_out.write_text("", encoding="utf-8")
    whole = [path for path, way in choice.ways.items() if len(way) == 1]
    environment = {
        **os.environ,
        quick_limit.UNTIL: str(started + max(seconds - SPARE_S, 1.0)),
        quick_limit.LEFT_OUT: str(left_out),
        quick_limit.WHOLE: os.pathsep.join(whole),
    }
    status = subprocess.run(command(choice, processes), cwd=ROOT, env=environment).returncode
    unstarted = left_out.read_text(encoding="utf-8").splitlines()
    say(
        [
            f"{time.time() - started:.0f} s of {seconds:.0f}; left out: {len(unstarted)} tests for"
            f" want of time{' (build/quick-left-out.txt)' if unstarted else ''},"
            f" {len(choice.left_out)} modules that are farther away, and what pytest calls"
            f" deselected (marked spark or walk, the rest of the battery)"
        ]
    )
    return status


def say(lines: Iterable[str]) -> None:
    for line in lines:
        print(f"quick: {line}", flush=True)


def main() -> int:
    started = time.time()
    parser = argparse.ArgumentParser(prog="quick", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--base", help="revision to compare with")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="all in all")
    parser.add_argument("--modules", type=int, default=MODULES_MAX, help="test modules at most")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--list", action="store_true", help="say what would run, and end")
    given = parser.parse_args()
    base, changed = changed_since(given.base or None)
    files = git("ls-files", "--cached", "--others", "--exclude-standard", "*.py")
    graph = Graph(ROOT, [path for path in files if (ROOT / path).exists()])
    choice = choose(graph, changed, given.modules)
    say(explain(base, changed, choice))
    (ROOT / "build").mkdir(exist_ok=True)
    ways = [" < ".join(way) for way in choice.ways.values()]
    beyond = [f"left out: {path}" for path in choice.left_out]
    (ROOT / "build" / "quick.txt").write_text("\n".join([*ways, *beyond, ""]), encoding="utf-8")
    return 0 if given.list else run(choice, started, given.seconds, given.processes)


if __name__ == "__main__":
    sys.exit(main())
