"""Which records SMF dumps have, in words: what a report without anything to show says."""

from __future__ import annotations

from collections.abc import Sequence

from ternmq.base.words import count_text
from ternmq.codec.smf.record import KINDS


def contents(files: Sequence[str]) -> str:
    """`the dump has 1 record 115-1, 2 records 116-1`."""
    from ternmq.spark.smf.section_frames import record_counts

    counts = {kind: n for kind, n in record_counts(files).items() if kind in KINDS}
    there = ", ".join(
        f"{count_text(n, 'record')} {KINDS[kind].name}" for kind, n in sorted(counts.items())
    )
    many = "dumps have" if len(files) > 1 else "dump has"
    return f"the {many} {there or 'no records 115 or 116 of MQ'}"
