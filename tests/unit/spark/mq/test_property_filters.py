"""Goal: filters on typed properties reach the queue manager, and leave out no message that Spark
would keep.

Method: filters become selection strings; a reader is given filters as Spark gives them and read
without Spark behind it, so that only what was pushed down leaves messages out.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pytest
from pyspark.sql.datasource import (
    EqualTo,
    Filter,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    IsNotNull,
    IsNull,
    LessThan,
    LessThanOrEqual,
    StringContains,
    StringEndsWith,
    StringStartsWith,
)

import ternmq
from ternmq.codec.property import PropertyValue
from ternmq.spark.mq.batch_read import MqFilteringReader
from ternmq.spark.mq.mq_options import SourceOptions
from ternmq.spark.mq.property_fields import fields_given, fitting
from ternmq.spark.mq.property_filters import narrowed, selector_of
from tests.unit.api.networked import CHANNEL, Networked, in_memory

FIELDS = fields_given(
    "colour STRING, weight INT, total BIGINT, rate DOUBLE, urgent BOOLEAN, token BINARY"
)


def of(name: str) -> tuple[str, str]:
    return ("property", name)


@pytest.mark.parametrize(
    ("given", "selector"),
    [
        (EqualTo(of("colour"), "red"), "colour = 'red'"),
        (EqualTo(of("colour"), "it's"), "colour = 'it''s'"),
        (EqualTo(of("weight"), -5), "weight = -5"),
        (EqualTo(of("urgent"), False), "urgent = FALSE"),
        (EqualTo(of("token"), b"\x01\xff"), 'token = "0x01ff"'),
        (EqualTo(of("rate"), 2.5), "rate = 2.5"),
        (In(of("colour"), ("red", None, "blue")), "colour = 'red' OR colour = 'blue'"),
        (LessThan(of("weight"), 7), "weight < 7"),
        (LessThanOrEqual(of("rate"), 1e300), "rate <= 1e+300"),
        (GreaterThan(of("total"), 1 << 40), "NOT (total <= 1099511627776)"),
        (GreaterThanOrEqual(of("rate"), 0.5), "NOT (rate < 0.5)"),
        (IsNotNull(of("colour")), "colour IS NOT NULL"),
        (StringStartsWith(of("colour"), "10%"), "colour LIKE '10!%%' ESCAPE '!'"),
        (StringEndsWith(of("colour"), "d_"), "colour LIKE '%d!_' ESCAPE '!'"),
        (StringContains(of("colour"), "e'"), "colour LIKE '%e''%' ESCAPE '!'"),
    ],
)
def test_filter_when_a_selector_can_say_it_then_it_does(given: Filter, selector: str) -> None:
    assert selector_of(given, FIELDS) == selector


@pytest.mark.parametrize(
    "given",
    [
        EqualTo(("colour",), "red"),  # of another column
        EqualTo(of("other"), "red"),
        EqualTo(of("rate"), math.nan),
        GreaterThan(of("colour"), "red"),  # strings have no order there
        IsNull(of("weight")),  # a property of another type is null here, not there
        In(of("weight"), tuple(range(200))),
        EqualTo(of("token"), b""),
    ],
)
def test_filter_when_no_selector_says_the_same_then_spark_does_it_alone(given: Filter) -> None:
    assert selector_of(given, FIELDS) == ""


def test_narrowed_when_too_much_is_asked_then_what_fits_is_pushed() -> None:
    many = [In(of("weight"), tuple(range(n, n + 45))) for n in (0, 100, 200)]
    found = narrowed("colour = 'red'", [EqualTo(of("urgent"), True), *many], FIELDS)
    assert found.startswith("(")
    assert "colour = 'red'" in found
    assert "weight = 144" in found
    assert "weight = 244" not in found  # of 137 tests 100 are allowed


def test_fields_given_when_wrong_then_a_sentence_says_what() -> None:
    assert fields_given(" `a.b` string,c  Double ") == (("a.b", "STRING"), ("c", "DOUBLE"))
    for given, words in (
        ("colour", "it is a name and a type, which may be STRING"),
        ("colour TIMESTAMP", "it is a name and a type"),
        ("and STRING", "'and' is not a name of a property"),
        ("JMSType STRING", "JMSType is not a property but a field"),
        ("a INT, A INT", "names A twice"),
    ):
        with pytest.raises(ValueError, match="option propertyColumns") as raised:
            fields_given(given)
        assert words in str(raised.value)


def test_fitting_when_a_value_is_of_another_type_then_it_is_null() -> None:
    values: list[PropertyValue] = [True, 5, 1 << 40, 2.5, "red", b"\x01", None]
    found = {kind: [fitting(kind, one) for one in values] for _, kind in FIELDS}
    assert found == {
        "STRING": [None, None, None, None, "red", None, None],
        "INT": [None, 5, None, None, None, None, None],
        "BIGINT": [None, 5, 1 << 40, None, None, None, None],
        "DOUBLE": [None, 5.0, float(1 << 40), 2.5, None, None, None],
        "BOOLEAN": [True, None, None, None, None, None, None],
        "BINARY": [None, None, None, None, None, b"\x01", None],
    }


# ---- what is read


@pytest.fixture(scope="module")
def served() -> Iterator[Networked]:
    found = in_memory()
    with found.connect() as connection:
        connection.define_queue("A")
        connection.cursor("KEEP", "A")
        with connection.queue("A") as opened:
            for n in range(40):
                opened.put(
                    f"text {n}",
                    properties={
                        "colour": "red" if n % 10 == 0 else "blue",
                        "weight": ternmq.Int32(n),
                        "rate": math.nan if n == 3 else n / 4,
                    },
                )
    yield found
    found.close()


def rows_read(served: Networked, filters: list[Filter], **given: str) -> list[dict[str, Any]]:
    """What comes of the queue manager for a batch with these filters."""
    where = {"queueManager": "QM1", "connName": served.conn, "channel": CHANNEL, "queue": "A"}
    typed = "colour STRING, weight INT, rate DOUBLE"
    options = {**where, "propertyColumns": typed, "columns": "text", "pushFilters": "true"}
    reader = MqFilteringReader(SourceOptions({**options, **given}, is_stream=False))
    assert list(reader.pushFilters(filters)) == filters  # Spark applies all of them again
    return [
        row
        for partition in reader.partitions()
        for batch in reader.read(partition)
        for row in batch.to_pylist()
    ]


@pytest.mark.parametrize("mode", ["browse", "stream"])
def test_read_when_filters_are_pushed_then_only_what_matches_is_read(
    served: Networked, mode: str
) -> None:
    assert len(rows_read(served, [], mode=mode)) == 40
    red = rows_read(served, [EqualTo(of("colour"), "red")], mode=mode)
    assert [row["text"] for row in red] == ["text 0", "text 10", "text 20", "text 30"]
    assert red[1]["property"] == {"colour": "red", "weight": 10, "rate": 2.5}
    both = [EqualTo(of("colour"), "red"), GreaterThan(of("weight"), 15)]
    found = rows_read(served, both, mode=mode, selector="weight < 30")
    assert [row["property"]["weight"] for row in found] == [20]
    high = rows_read(served, [GreaterThan(of("rate"), 9.0)], mode=mode)
    assert [row["property"]["weight"] for row in high] == [3, 37, 38, 39]  # NaN is above all


def test_read_when_draining_then_filters_take_nothing_away(served: Networked) -> None:
    with served.connect() as connection:
        connection.define_queue("B")
        with connection.queue("B") as opened:
            for n in range(4):
                opened.put(f"text {n}", properties={"weight": ternmq.Int32(n)})
        given = {"queue": "B", "mode": "drain", "selector": "weight > 1"}
        rows = rows_read(served, [EqualTo(of("weight"), 2)], **given)
        assert [row["text"] for row in rows] == ["text 2", "text 3"]
        with connection.queue("B") as opened:
            assert [one.text for one in opened.browse()] == ["text 0", "text 1"]
