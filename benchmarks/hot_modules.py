"""Tells which compiled modules the instructions of a message are spent in, by callgrind.

The C compiler optimises those of [optimised] in tools/layers.toml at -O2 and the others at -Og,
which takes it 30 % of the time. Run this after large changes and bring that list up to date:

    python benchmarks/hot_modules.py [WORKLOAD ...] [--site FOLDER] [--share 0.99]

prints, for each workload of benchmarks/instructions.py, the modules that together make up the
share, and then the list. Needs valgrind and a compiled build.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks import instructions  # noqa: E402
from tools.layers import Table, compiled_modules, load, matches  # noqa: E402

NAMED = re.compile(r"(c?)fn=\((\d+)\)(?: (.*))?")
# What mypyc puts before a function's name, and what gcc puts behind it.
SYMBOL = re.compile(
    r"(?:CPyDef_|CPyPy_|CPyGen_)?(\w+?)(?:\.(?:constprop|isra|part|cold).*)?(?:'\d+)?"
)


def short_names(modules: list[str]) -> dict[str, str]:
    """The names under which mypyc may write a module: every ending that no other module has."""
    ways: dict[str, set[str]] = {}
    for module in modules:
        parts = module.split(".")
        for begin in range(len(parts)):
            ways.setdefault("___".join(parts[begin:]), set()).add(module)
    return {name: found.pop() for name, found in ways.items() if len(found) == 1}


def module_of(symbol: str, names: dict[str, str]) -> str:
    """The module of a function in the library; "" for those of Python and of the system."""
    found = SYMBOL.fullmatch(symbol)
    parts = found.group(1).split("___") if found else []
    for end in range(len(parts) - 1, 0, -1):
        module = names.get("___".join(parts[:end]))
        if module:
            return module
    return ""


def costs(outcome: str, names: dict[str, str]) -> Counter[str]:
    """From callgrind's file, the instructions of each module's own functions."""
    symbols: dict[str, str] = {}
    spent: Counter[str] = Counter()
    module, is_call = "", False
    for line in outcome.splitlines():
        named = NAMED.match(line)
        if named:
            called, number, name = named.groups()
            if name:
                symbols[number] = module_of(name, names)
            if not called:
                module = symbols[number]
        elif line.startswith("calls="):
            is_call = True  # the next line is the cost of what was called
        elif line[:1].isdigit() or line[:1] in ("+", "-", "*"):
            if not is_call:
                spent[module] += int(line.split()[1])
            is_call = False
    del spent[""]
    return spent


def per_message(workload: str, site: str, names: dict[str, str]) -> Counter[str]:
    """What 2 N messages cost beyond the start: the difference of N and 3 N."""
    kept: list[str] = []
    total = instructions._total

    def keep(outcome: Path) -> int:
        kept.append(outcome.read_text())
        return total(outcome)

    instructions._total = keep
    try:
        instructions.cost(workload, site)
    finally:
        instructions._total = total
    few, many = (costs(text, names) for text in kept)
    many.subtract(few)
    return many


def largest(spent: Counter[str], share: float) -> list[tuple[str, float]]:
    """The modules that make up the share, with their own shares, largest first."""
    whole = sum(count for count in spent.values() if count > 0)
    taken: list[tuple[str, float]] = []
    together = 0
    for module, count in spent.most_common():
        if together >= share * whole:
            break
        together += count
        taken.append((module, count / whole))
    return taken


def print_list(found: set[str], table: Table) -> None:
    listed = {name for name in compiled_modules(table) if matches(name, table.optimised)}
    print("\nin [optimised] and not found here:", *sorted(listed - found))
    print("found here and not in [optimised]:", *sorted(found - listed))


def main() -> None:
    parser = argparse.ArgumentParser(description="Modules that a message's instructions are in.")
    workloads = instructions.IN_PROCESS + instructions.OVER_TCP
    parser.add_argument("names", nargs="*", metavar="WORKLOAD", help=", ".join(workloads))
    parser.add_argument("--site", default="", help="another build of the package")
    parser.add_argument("--share", type=float, default=0.99)
    given = parser.parse_args()
    table = load()
    names = short_names([f"ternmq.{name}" for name in compiled_modules(table)])
    found: set[str] = set()
    for workload in given.names or workloads:
        print(f"\n{workload}")
        for module, part in largest(per_message(workload, given.site, names), given.share):
            print(f"  {part:6.2%}  {module}")
            found.add(module.removeprefix("ternmq."))
    print_list(found, table)


if __name__ == "__main__":
    main()
