"""make cluster: the pipeline on a standalone cluster gives the same tables as on local[*].

A master and two workers are started on this machine. The same dumps (of our writer, and real ones
where they are present) go through two projects, one on each; then every table is compared, row by
row. The answer is JSON; the exit status is 1 if a table differs.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.cluster.standalone import environment, standalone
from tests.unit.codec.smf.test_framing import as_rdw
from tests.unit.codec.smf_samples import sample_records
from tests.unit.codec.test_smf_real_dumps import FOLDER


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="ternmq-cluster-") as place:
        folder = Path(place)
        make_dumps(folder / "in")
        ran("local", folder, "local[*]")
        with standalone(folder / "cluster") as address:
            ran("standalone", folder, address)
            executors = len(list((folder / "cluster").glob("work*/app-*/*")))
        tables = compared(folder / "local" / "warehouse", folder / "standalone" / "warehouse")
    differing = [name for name, row in tables.items() if not row["same"]]
    result = {"executors": executors, "tables": tables, "differing": differing}
    sys.stdout.write(json.dumps(result, indent=2) + "\n")
    return 1 if differing or executors < 2 else 0


def make_dumps(folder: Path) -> None:
    folder.mkdir()
    (folder / "ours").write_bytes(as_rdw(sample_records(90405)))
    for path in sorted(FOLDER.glob("*.dat")) if FOLDER.is_dir() else ():
        (folder / path.name).write_bytes(path.read_bytes())


def ran(name: str, folder: Path, master: str) -> None:
    """A project of its own, run once."""
    project = str(folder / name)
    words = ["init", project, "--smf", str(folder / "in"), "--set", "smf.splitBytes=65536"]
    for arguments in (words, ["run", project, "--master", master, "--json"]):
        subprocess.run(
            [sys.executable, "-m", "ternmq", "pipeline", *arguments],
            env=environment(),
            stdout=sys.stderr,
            check=True,
        )


def compared(first: Path, second: Path) -> dict[str, Any]:
    """Each table of both: how many rows, and whether they are the same."""
    names = sorted({path.name for path in (*first.iterdir(), *second.iterdir())})
    found: dict[str, Any] = {}
    for name in names:
        one, other = rows_of(first / name), rows_of(second / name)
        found[name] = {"rows": len(one), "same": one == other}
    return found


def rows_of(folder: Path) -> list[str]:
    import pyarrow.parquet as pq

    rows: list[str] = []
    for path in folder.rglob("*.parquet"):
        rows += map(str, pq.read_table(path).to_pylist())
    return sorted(rows)


if __name__ == "__main__":
    sys.exit(main())
