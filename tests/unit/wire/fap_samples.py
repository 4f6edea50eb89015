"""Hypothesis strategies for headers and for the values of every table of parts, for the tests
here: what a table can hold is derived from the table."""

import string
from typing import Any

from hypothesis import strategies as st

from ternmq.codec.mqi.layout import BIG, LITTLE
from ternmq.wire.fap import part as p
from ternmq.wire.fap import vocabulary as v
from ternmq.wire.fap.flow import body_table, verb_table
from ternmq.wire.fap.segment import TSH, TSHC, TSHM, Header
from tests.unit.codec.structure_samples import structures

ORDERS = st.sampled_from([LITTLE, BIG])
FAMILIES = [(1208, False), (819, False), (37, True), (500, True), (1047, True)]
BODIES = sorted(set(v.TYPE_NAMES) - {v.INITIAL_DATA})
ALPHABET = string.ascii_letters + string.digits + " ./_%"


@st.composite
def headers(draw: st.DrawFn, types: list[int] | None = None) -> Header:
    ccsid, is_ebcdic = draw(st.sampled_from(FAMILIES))
    variant = draw(st.sampled_from([TSH, TSHM, TSHC]))
    ids = st.integers(0, 2**32 - 1) if variant == TSHM else st.just(0)
    return Header(
        draw(st.sampled_from(types or sorted(v.TYPE_NAMES))),
        variant=variant,
        is_ebcdic=is_ebcdic,
        conversation=draw(ids),
        request=draw(ids),
        order=draw(ORDERS),
        flags_1=draw(st.integers(0, 255)),
        flags_2=draw(st.integers(0, 255)),
        luwid=draw(st.binary(min_size=8, max_size=8)),
        encoding=draw(st.integers(-(2**31), 2**31 - 1)),
        ccsid=ccsid,
        reserved=draw(st.integers(0, 2**16 - 1)),
    )


def texts(size: int) -> st.SearchStrategy[str]:
    return st.text(ALPHABET, max_size=size).map(lambda text: text.rstrip(" "))


def row_values(row: p.Row) -> st.SearchStrategy[Any]:
    if row.code == "i":
        return st.integers(-(2**31), 2**31 - 1)
    if row.code in "BHI":
        return st.integers(0, 256**row.size - 1)
    if isinstance(row.default, str):
        return texts(row.size)
    return st.binary(min_size=row.size, max_size=row.size)


def _counted(draw: st.DrawFn, part: p.Part, values: p.Values) -> None:
    if isinstance(part, p.Text):
        values[part.name] = draw(st.text(ALPHABET, max_size=40))
    elif isinstance(part, p.Data):
        values[part.name] = draw(st.binary(max_size=40))
    elif isinstance(part, p.Longs):
        values[part.name] = draw(st.lists(st.integers(-(2**31), 2**31 - 1), max_size=5))
    elif isinstance(part, p.Records):
        count = draw(st.integers(0, 3))
        values[part.name] = [draw(values_of(part.parts())) for _ in range(count)]


def _fill(draw: st.DrawFn, part: p.Part, values: p.Values) -> None:
    if isinstance(part, p.Conditional):
        part = part.part
    if isinstance(part, p.Fixed):
        for row in part.rows():
            if row.name.strip() != row.default and row.default != row.name:
                values[row.name] = draw(row_values(row))
    elif isinstance(part, p.Record):
        values[part.name] = draw(values_of(part.parts()))
    elif isinstance(part, p.Struct):
        made = draw(structures(part.kind))
        if hasattr(made, "records_present"):
            made.records_present = 0
        values[part.name] = made
    else:
        _counted(draw, part, values)


@st.composite
def values_of(draw: st.DrawFn, table: list[p.Part]) -> p.Values:
    """Any values that the parts can hold; counts are left out, so that writing fills them in."""
    values: p.Values = {}
    for part in table:
        _fill(draw, part, values)
    for part in table:
        inner = part.part if isinstance(part, p.Conditional) else part
        if isinstance(inner, p.Counted):
            values.pop(inner.count, None)
    return values


@st.composite
def bodies(draw: st.DrawFn, type: int) -> p.Values:
    """Any values for a segment type; of SPI, for one of its verbs too."""
    values = draw(values_of(body_table(type)))
    if type in (v.SPI, v.SPI + v.REPLY):
        values["verb"] = draw(st.sampled_from(sorted(v.SPI_NAMES)))
        values.update(draw(values_of(verb_table(type, values))))
    return values
