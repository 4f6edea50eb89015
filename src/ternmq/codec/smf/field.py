"""The words in which the tables of SMF records are written: a field, a section, a record.

codec/smf/section_table.py, which tools/generate_smf.py makes from tools/smf_layouts.txt, consists
of them. A level is a number VVRRMM: 80000 is 8.0, 90405 is 9.4.5, 100000 is 10.0.
"""

from __future__ import annotations

from typing import Final, NamedTuple

UNSIGNED: Final = "u"
SIGNED: Final = "i"
TIME: Final = "T"  # a clock value that is a point in time
DURATION: Final = "D"  # a clock value that is a length of time
TEXT: Final = "c"  # padded with blanks, and blanks where nothing is said
ZERO_TEXT: Final = "z"  # as TEXT, but binary zeros where nothing is said
BYTES: Final = "x"
RESERVED: Final = "r"
GROUP: Final = "group"

Default = int | str


class Bit(NamedTuple):
    """A bit of a field that is a column of its own."""

    mask: int
    column: str
    place: int
    on: str
    off: str
    needs: str = ""  # a field without which the bit means nothing


class Also(NamedTuple):
    """A second column from the place of a field."""

    kind: str
    size: int
    column: str
    place: int


class Field(NamedTuple):
    """One row: where it is, what it is, what mq-smf-csv calls it."""

    offset: int
    size: int  # of one, where there are several
    kind: str
    copies: int  # 0: no array
    name: str
    level: int
    version: int  # of the structure, from which on it counts; 0: any
    default: Default | None
    column: str  # "" if it has no column; {n} stands for the index
    place: int  # in the line, if that is not where the bytes are; 0: it is
    words: str  # name of the words for its numbers
    wrong_column: str  # what mq-smf-csv says, where that is wrong
    bits: tuple[Bit, ...] = ()
    also: tuple[Also, ...] = ()
    members: tuple[Field, ...] = ()

    @property
    def end(self) -> int:
        """Where the next one may begin."""
        return self.offset + self.size * max(self.copies, 1)


def row(
    offset: int,
    kind: str,
    name: str,
    level: int,
    column: str = "",
    place: int = 0,
    *,
    version: int = 0,
    copies: int = 0,
    default: Default | None = None,
    words: str = "",
    wrong: str = "",
    bits: tuple[Bit, ...] = (),
    also: tuple[Also, ...] = (),
    members: tuple[Field, ...] = (),
) -> Field:
    """A field in one line of the table; `kind` has the size behind it: u4, c48, group64, T."""
    letter = kind.rstrip("0123456789")
    size = int(kind[len(letter) :] or 8)
    return Field(
        offset,
        size,
        letter,
        copies,
        name,
        level,
        version,
        default,
        column,
        place,
        words,
        wrong,
        bits,
        also,
        members,
    )


class SectionRow(NamedTuple):
    """One kind of section."""

    name: str
    identifier: int  # -1: it has none
    eye_catcher: str
    lengths: tuple[tuple[int, int], ...]  # from which level on it has which length
    about: str
    fields: tuple[Field, ...]

    def length(self, level: int) -> int:
        """How long a section is at a level; 0 if that level has none."""
        found = 0
        for first, length in self.lengths:
            if level >= first:
                found = length
        return found


class RecordRow(NamedTuple):
    """One kind of record."""

    record_type: int
    subtype: int
    triplets: int
    product: str
    ifcid: int
    component: int
    sections: tuple[tuple[int, str], ...]  # number of the triplet, section ("" for an unknown one)
    about: str

    @property
    def name(self) -> str:
        return f"{self.record_type}-{self.subtype}"


LONG: Final = "long"
SHORT: Final = "short"
STUB: Final = "stub"
