"""Sections of SMF records as lines of CSV or JSON."""

from __future__ import annotations

import csv
import json
import os
import sys
from typing import Any, Final, TextIO, final

from ternmq.codec.smf.csv_lines import Lines, common_cells
from ternmq.codec.smf.decoding import Record, Section
from ternmq.codec.smf.natural import natural_identity, natural_record, natural_values


class Export:
    """Somewhere for sections to go."""

    def add(self, record: Record, sections: list[Section]) -> None:
        """The sections of a record that are wanted."""
        raise NotImplementedError

    def close(self) -> None:
        """There is nothing more."""


@final
class ToCSV(Export):
    """A file for each kind of section, named as mq-smf-csv names them; or standard output."""

    def __init__(self, folder: str | None) -> None:
        self._folder: Final = folder
        self._lines: Final[dict[str, Lines]] = {}
        self._files: Final[list[TextIO]] = []
        self._writers: Final[dict[str, Any]] = {}
        if folder is not None:
            os.makedirs(folder, exist_ok=True)

    def add(self, record: Record, sections: list[Section]) -> None:
        """Lines for the sections; unknown ones have none."""
        by_name: dict[str, list[Section]] = {}
        for section in sections:
            if section.name:
                by_name.setdefault(section.name, []).append(section)
        common = common_cells(record)
        for name, own in by_name.items():
            lines = self._lines.get(name)
            if lines is None:
                lines = self._begun(name)
            self._writers[name].writerows(lines.rows(record, own, common))

    def close(self) -> None:
        """Everything is in the files."""
        for file in self._files:
            file.close()

    def _begun(self, name: str) -> Lines:
        lines = Lines(name)
        file = sys.stdout
        if self._folder is not None:
            path = os.path.join(self._folder, f"SMF-{name}.csv")
            file = open(path, "w", encoding="utf-8", newline="")  # noqa: SIM115 (until close)
            self._files.append(file)
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(lines.headings)
        self._lines[name] = lines
        self._writers[name] = writer
        return lines


@final
class ToJSON(Export):
    """An object on a line for each section."""

    def add(self, record: Record, sections: list[Section]) -> None:
        """Lines for the sections; of an unknown one, its bytes."""
        head = natural_record(record)
        identity = natural_identity(record) if record.row.name == "116-0" else {}
        for section in sections:
            values = natural_values(section.name, section.values) if section.name else {}
            row: dict[str, object] = {**head, "section": section.name, "index": section.index}
            if section.name == "QMAC":
                row["task"] = identity
            if section.name:
                row["values"] = values
            else:
                row["triplet"] = section.triplet
                row["bytes"] = section.raw.hex().upper()
            sys.stdout.write(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n")
