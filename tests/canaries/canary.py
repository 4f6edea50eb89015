"""Plants a fault of table.toml into a copy of the source and runs the tests that must find it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
TABLE = Path(__file__).with_name("table.toml")
# What the tests look at besides the source.
COPIED = (
    "src", "tests", "tools", "proof", "docs", "examples", "pyproject.toml", "setup.py", "README.md",
    "ARCHITECTURE.md",
)  # fmt: skip
WALK = "tests/proof/test_goals.py::test_walk_then_nothing_is_lost_doubled_or_wrong"
FAILED = 1  # what pytest answers when a test failed; anything else is no proof
SECONDS_MAX = 300


@dataclass(frozen=True)
class Canary:
    """One planted fault, and the tests one of which must fail."""

    name: str
    about: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]
    quick: bool  # tried by `make test`, too

    @property
    def path(self) -> Path:
        return Path("src") / "ternmq" / self.file

    def applies(self, root: Path) -> bool:
        """Whether the text to be changed is there, once."""
        return (root / self.path).read_text(encoding="utf-8").count(self.old) == 1

    def plant(self, root: Path) -> None:
        path = root / self.path
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace(self.old, self.new), encoding="utf-8")

    def nodes(self) -> list[str]:
        """The tests as pytest names them."""
        return [test if "/" in test else f"{WALK}[{test}]" for test in self.tests]


def load() -> list[Canary]:
    table = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    return [
        Canary(
            name,
            row["about"],
            row["file"],
            row["old"],
            row["new"],
            tuple(row["tests"]),
            row.get("quick", False),
        )
        for name, row in table.items()
    ]


def copy_tree(target: Path) -> None:
    """What the tests need, without caches."""
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            ignored = shutil.ignore_patterns("__pycache__", "canaries", "*.so")
            shutil.copytree(source, target / name, ignore=ignored)
        else:
            shutil.copy(source, target / name)


def survives(canary: Canary, folder: Path) -> str:
    """How a canary survived its tests; empty if one of them found it."""
    root = folder / canary.name
    copy_tree(root)
    canary.plant(root)
    status, output = run_tests(root, canary.nodes())
    shutil.rmtree(root)
    return "" if status == FAILED else f"pytest answered {status}:\n{output}"


def run_tests(root: Path, nodes: list[str]) -> tuple[int, str]:
    """Run tests of a copy until one fails; what pytest answered."""
    environment = {
        **os.environ,
        "TERNMQ_PURE": "1",
        "TERNMQ_EXPECT": "plain",
        "PYTHONPATH": str(root / "src"),
    }
    environment.pop("PYTEST_XDIST_WORKER", None)
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, *nodes],
        cwd=root,
        env=environment,
        capture_output=True,
        text=True,
        timeout=SECONDS_MAX,
        check=False,
    )
    return done.returncode, done.stdout[-1500:] + done.stderr[-500:]
