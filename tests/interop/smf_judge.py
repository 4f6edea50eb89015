"""Goal: mq-smf-csv, IBM's program, and our reader say the same of the same records.

Method: the program (built from its public source by whoever runs this, never part of this project)
prints real dumps and records of ours; each cell that it prints is compared with ours. Where it is
known to be wrong, or says a missing value in its own way, that is written out below and counted.

    python -m tests.interop.smf_judge PROGRAM [DUMP...]      (make smf-judge does that)
"""

from __future__ import annotations

import csv
import io
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from ternmq.codec.smf.csv_lines import INTERVAL, Lines
from ternmq.codec.smf.reader import Reader
from ternmq.codec.smf.section_table import SECTIONS
from ternmq.telemetry.smf.statistics_records import SmfRecords
from tests.interop.smf_live import live_records, wrong_of
from tests.unit.codec.smf_samples import sample_records
from tests.unit.telemetry.measured import END_NS, channel_interval, interval, task_record

PRINTED: Final = [
    row.name for row in SECTIONS if row.name not in ("SMF", "QWHS", "QWHC", "QWHX", "QWAC")
]
STORAGE: Final = ("QSPH", "QSGM", "QSRS")
NOT_THERE: Final = ("-1", ".....", "1970/01/01", "00:00:00,000000", "N/A")
# One-byte numbers that it prints as 32 bits with their sign.
BYTES: Final = ("Pageset_Status", "Stripes", "Expansion_Method", "Storage_Class", "MemLimit_Source")
# What it prints of the smallest, where there was none.
UNSET: Final = {
    "Get_Min_Msg_Size": "-1",
    "Put_Min_Msg_Size": "-1",
    "Exit_Time_Min": "0",
    "Net_Time_Min": "0",
}
TOP_BIT: Final = 1 << 63
# It looks at the word behind the flags, and prints half of a clock.
WRONG: Final = {("QESD", "Encrypted"), ("QESD", "Buffer_Wait_Time")}


class Outcome(NamedTuple):
    """How one file compared."""

    rows: int
    cells: int
    notes: Counter[str]  # cells that are the same in another way of saying
    differences: list[str]


def printed_by(program: Path, dump: Path, form: str) -> dict[str, list[list[str]]]:
    """The lines of each section, with their headings, as the program prints them."""
    with tempfile.TemporaryDirectory() as folder:
        command = [str(program), "-i", str(dump), "-o", folder, "-g", "yes", "-r", "-f", form]
        subprocess.run(command, check=True, capture_output=True, timeout=300)
        found: dict[str, list[list[str]]] = {}
        for path in sorted(Path(folder).glob("SMF-*.csv")):
            text = path.read_text(encoding="latin-1")
            rows = [row[:-1] for row in csv.reader(io.StringIO(text, newline=""))]
            found[path.stem[4:]] = rows
    return found


def printed_here(dump: Path) -> dict[str, list[list[str]]]:
    """The same by our reader."""
    lines = {name: Lines(name) for name in PRINTED}
    found: dict[str, list[list[str]]] = {}
    with dump.open("rb") as file:
        for record in Reader(file.read):
            for name in dict.fromkeys(name for _, name in record.row.sections):
                if name not in lines:
                    continue
                rows = lines[name].rows(record, record.sections((name,)))
                if rows:
                    kept = found.setdefault(name, [list(lines[name].headings)])
                    kept += [[str(cell) for cell in row] for row in rows]
    return found


def compare(theirs: dict[str, list[list[str]]], ours: dict[str, list[list[str]]]) -> Outcome:
    notes: Counter[str] = Counter()
    differences: list[str] = []
    rows = cells = 0
    for name in sorted(set(theirs) | set(ours)):
        if name == "QCTDNS" and name not in theirs:
            notes["QCTDNS of 8.0, not printed"] += len(ours[name]) - 1
            continue
        left, right = theirs.get(name, []), ours.get(name, [])
        if len(left) != len(right):
            differences.append(f"{name}: {len(left)} lines, ours {len(right)}")
            continue
        for number, (their_row, our_row) in enumerate(zip(left[1:], right[1:], strict=True), 1):
            rows += 1
            pairs = list(paired(name, left[0], their_row, right[0], our_row, notes))
            for heading, theirs_said, ours_said in pairs:
                cells += 1
                why = same(name, heading, theirs_said, ours_said)
                if why is None:
                    differences.append(
                        f"{name} line {number} {heading}: {theirs_said!r}, ours {ours_said!r}"
                    )
                elif why:
                    notes[why] += 1
    return Outcome(rows, cells, notes, differences)


def paired(
    name: str,
    their_headings: list[str],
    their_row: list[str],
    our_headings: list[str],
    our_row: list[str],
    notes: Counter[str],
) -> Iterator[tuple[str, str, str]]:
    """Heading and both cells. Both have the same columns in the same order, save what follows."""
    ours = list(zip(our_headings, our_row, strict=True))
    if name in STORAGE:  # no interval in these records: left out, or that of the record before
        ours = [pair for pair in ours if pair[0] not in INTERVAL]
        extra = len(their_row) - len(ours)
        their_row = their_row[:6] + their_row[6 + extra :]
        notes["interval of another record"] += extra
    elif name == "QESD":  # one column for a clock that has two
        at = our_headings.index("Buffer_Wait_Time(S)")
        ours[at : at + 2] = [("Buffer_Wait_Time", "")]
    if len(ours) != len(their_row):
        yield "columns", str(len(their_row)), str(len(ours))
        return
    for (heading, cell), said in zip(ours, their_row, strict=True):
        yield heading, said, cell


def same(name: str, heading: str, theirs: str, ours: str) -> str | None:
    """ "" if both cells say the same, a note if in another way, None if not."""
    said = theirs.strip(" ")
    if said == ours:
        return ""
    if (name, heading) in WRONG:
        return "known to be wrong"
    if ours == "":
        if said.strip(".") == "" and said:
            return "text that is not filled in"
        if said in NOT_THERE or said == UNSET.get(heading):
            return "value that is not there"
        return None
    if same_number(heading, said, ours):
        return "number with another sign"
    if said == "" and ours.lstrip("-").isdigit():
        return "number without a word"
    if same_text(heading, theirs, ours):
        return "character that it does not know"
    return None


def same_text(heading: str, theirs: str, ours: str) -> bool:
    """Its table of characters is small, and has some at places of its own (X'8E' as a plus)."""
    pairs = list(zip(theirs, ours.ljust(len(theirs)), strict=False))
    if heading == "Correl(CHAR)":  # binary, mostly
        return len(theirs) >= len(ours) and all(a in (b, ".") or b == "." for a, b in pairs)
    return len(theirs) >= len(ours) and all(a in (b, ".") for a, b in pairs)


def same_number(heading: str, said: str, ours: str) -> bool:
    if not said.lstrip("-").isdigit() or not ours.lstrip("-").isdigit():
        return False
    left, right = int(said), int(ours)
    if heading in BYTES:
        return left & 0xFF == right
    if left & ~TOP_BIT == right & ~TOP_BIT or left % (1 << 32) == right % (1 << 32):
        return True
    return heading == "Expansions" and left % (1 << 16) == right


def queue_manager_records() -> list[bytes]:
    """What a queue manager writes of snapshots in which every number differs."""
    maker = SmfRecords("lpar7", lambda _: 3600, lambda: END_NS + 10_000_000)
    found = maker.statistics(interval(60))
    found += maker.task(task_record())
    return found + maker.channels(channel_interval(40))


def judge(program: Path, dump: Path, form: str = "rdw") -> Outcome:
    return compare(printed_by(program, dump, form), printed_here(dump))


def main(arguments: list[str]) -> int:
    if not arguments or not Path(arguments[0]).is_file():
        sys.stderr.write("say where the built program mqsmfcsv is: make smf-judge PROGRAM=...\n")
        return 2
    program = Path(arguments[0])
    status = 0
    with tempfile.TemporaryDirectory() as folder:
        dumps = [Path(argument) for argument in arguments[1:]]
        for level in (80000, 90003, 90102, 90300, 90303, 90403, 90405, 100000):
            own = Path(folder) / f"ours-{level}.dat"
            own.write_bytes(b"".join(sample_records(level)))
            dumps.append(own)
        written = Path(folder) / "queue-manager.dat"
        written.write_bytes(b"".join(queue_manager_records()))
        dumps.append(written)
        live = Path(folder) / "live.dat"
        live.write_bytes(b"".join(live_records()))
        dumps.append(live)
        wrong = wrong_of(printed_by(program, live, "rdw"))
        for line in wrong[:20]:
            sys.stdout.write(f"live.dat: NOT WHAT WAS DONE: {line}\n")
        status = 1 if wrong else status
        for dump in dumps:
            outcome = judge(program, dump)
            sys.stdout.write(f"{dump.name}: {outcome.rows} lines, {outcome.cells} cells compared\n")
            for note, count in sorted(outcome.notes.items()):
                sys.stdout.write(f"  {count:6} {note}\n")
            for difference in outcome.differences[:20]:
                sys.stdout.write(f"  DIFFERENT {difference}\n")
            if outcome.differences:
                sys.stdout.write(f"  {len(outcome.differences)} differences\n")
                status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
