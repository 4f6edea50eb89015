"""Filters on fields of the column `property` as a selector.

Spark hands a source filters on fields of a struct, but none on elements of a map. A filter becomes
a condition of a selection string, which the queue manager evaluates before any body is read. The
condition may let more pass than the filter does, never less: Spark applies all filters again.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Any, Final

from pyspark.sql.datasource import (
    EqualTo,
    Filter,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    IsNotNull,
    LessThan,
    LessThanOrEqual,
    StringContains,
    StringEndsWith,
    StringStartsWith,
)

from ternmq.base.errors import MQError
from ternmq.codec.selector.selector import compile_selector
from ternmq.spark.mq.message_schema import PROPERTY
from ternmq.spark.mq.property_fields import PropertyField

IN_MAX: Final = 50  # a selector has up to 100 tests
_NUMBERS: Final = ("INT", "BIGINT", "DOUBLE")
_ESCAPE: Final = "!"


def selector_of(filter: Filter, fields: Iterable[PropertyField]) -> str:
    """A condition that all messages fulfil that the filter leaves; empty if there is none."""
    attribute = getattr(filter, "attribute", ())
    for field in fields:
        if attribute == (PROPERTY, field.name):
            return _understood(_condition(filter, field))
    return ""


def narrowed(selector: str, filters: Iterable[Filter], fields: Iterable[PropertyField]) -> str:
    """A selection string, perhaps empty, and what filters say beside it, as far as it is not too
    long then."""
    for filter in filters:
        condition = selector_of(filter, fields)
        if condition and selector:
            selector = _understood(f"({selector}) AND ({condition})") or selector
        elif condition:
            selector = condition
    return selector


def _understood(condition: str) -> str:
    """The condition, unless no selector can say it; what is not pushed down Spark does alone."""
    if condition:
        try:
            compile_selector(condition)
        except MQError:
            return ""
    return condition


def _condition(filter: Filter, field: PropertyField) -> str:
    name = field.name
    if isinstance(filter, IsNotNull):
        return f"{name} IS NOT NULL"
    if isinstance(filter, StringStartsWith | StringEndsWith | StringContains):
        return f"{name} LIKE {_pattern(filter)} ESCAPE '{_ESCAPE}'"
    if isinstance(filter, EqualTo):
        return _equal(field, filter.value)
    if isinstance(filter, In):
        given = [_equal(field, value) for value in filter.value if value is not None]
        return " OR ".join(given) if all(given) and len(given) <= IN_MAX else ""
    return _ordered(filter, field)


def _ordered(filter: Filter, field: PropertyField) -> str:
    """The condition of a comparison by order."""
    if field.kind not in _NUMBERS:  # selectors have no order of strings
        return ""
    name, value = field.name, _literal(field.kind, getattr(filter, "value", None))
    if not value:
        return ""
    if isinstance(filter, LessThan):
        return f"{name} < {value}"
    if isinstance(filter, LessThanOrEqual):
        return f"{name} <= {value}"
    # To Spark, not a number is above all numbers; to a selector no comparison with it is true.
    if isinstance(filter, GreaterThan):
        return f"NOT ({name} <= {value})"
    if isinstance(filter, GreaterThanOrEqual):
        return f"NOT ({name} < {value})"
    return ""


def _equal(field: PropertyField, value: Any) -> str:
    literal = _literal(field.kind, value)
    return f"{field.name} = {literal}" if literal else ""


def _literal(kind: str, value: Any) -> str:
    """A value as a selector has it; empty if it has no such literal."""
    if kind == "BOOLEAN":
        return "TRUE" if value else "FALSE"
    if kind == "STRING":
        return _quoted(str(value))
    if kind == "BINARY":
        return f'"0x{bytes(value).hex()}"' if value else ""
    if not isinstance(value, int | float) or not math.isfinite(value):
        return ""
    return repr(float(value)) if kind == "DOUBLE" else str(int(value))


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _pattern(filter: StringStartsWith | StringEndsWith | StringContains) -> str:
    text = re.sub(r"([!%_])", rf"{_ESCAPE}\1", filter.value)
    before = "" if isinstance(filter, StringStartsWith) else "%"
    after = "" if isinstance(filter, StringEndsWith) else "%"
    return _quoted(before + text + after)
