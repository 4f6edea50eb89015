"""A compiled selector: a tree of conditions, which have a truth, over operands, which have a value.

Truth is that of SQL-92: false, true or unknown. An operand is unknown (None) if a property is null
or missing, or a result is not a finite number of its type: division by zero, beyond 64 bits. A
value of a type that an operator does not take makes the test false, whichever its operator, <> and
NOT LIKE too; arithmetic hands such a value on as NaN, which is false in every test. Left to right,
and no further than the truth is certain.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

from ternmq.codec.property import PropertyValue
from ternmq.codec.selector.lexer import INT64_MAX, INT64_MIN
from ternmq.codec.selector.like import Pattern
from ternmq.codec.selector.source import PropertySource

FALSE: Final = 0
TRUE: Final = 1
UNKNOWN: Final = 2

EQUAL: Final = 0
NOT_EQUAL: Final = 1
LESS: Final = 2
LESS_OR_EQUAL: Final = 3
GREATER: Final = 4
GREATER_OR_EQUAL: Final = 5
# What is left of an operator when its sides change places.
SWAPPED: Final = (EQUAL, NOT_EQUAL, GREATER, GREATER_OR_EQUAL, LESS, LESS_OR_EQUAL)

ADD: Final = 0
SUBTRACT: Final = 1
MULTIPLY: Final = 2
DIVIDE: Final = 3

_NAN: Final = float("nan")
_REAL_MAX: Final = 1.7976931348623157e308


class Node:
    """A part of a selector; `at` is where it begins in the text."""

    def __init__(self, at: int) -> None:
        self.at = at


class Operand(Node):
    """What has a value."""

    def value(self, source: PropertySource) -> PropertyValue:
        """The value for this message; None is unknown."""
        raise NotImplementedError


class Condition(Node):
    """What has a truth."""

    def truth(self, source: PropertySource) -> i64:
        """FALSE, TRUE or UNKNOWN for this message."""
        raise NotImplementedError


# ---- comparing


def compare_reals(operator: i64, left: float, right: float) -> bool:
    """Whether a comparison of two reals holds; with a NaN none does."""
    if operator == EQUAL:
        return left == right
    if operator == NOT_EQUAL:
        return left < right or left > right
    if operator == LESS:
        return left < right
    if operator == LESS_OR_EQUAL:
        return left <= right
    if operator == GREATER:
        return left > right
    return left >= right


def compare_integers(operator: i64, left: int, right: int) -> bool:
    """Whether a comparison of two integers holds."""
    if operator == EQUAL:
        return left == right
    if operator == NOT_EQUAL:
        return left != right
    if operator == LESS:
        return left < right
    if operator == LESS_OR_EQUAL:
        return left <= right
    if operator == GREATER:
        return left > right
    return left >= right


def compare(operator: i64, left: PropertyValue, right: PropertyValue) -> i64:
    """The truth of a comparison. An integer becomes a real beside a real, as in Java."""
    if left is None or right is None:
        return UNKNOWN
    if isinstance(left, int) and isinstance(right, int):
        if not isinstance(left, bool) and not isinstance(right, bool):
            return TRUE if compare_integers(operator, left, right) else FALSE
    elif isinstance(left, float) or isinstance(right, float):
        return TRUE if compare_reals(operator, real_of(left), real_of(right)) else FALSE
    if operator > NOT_EQUAL or type(left) is not type(right):
        return FALSE  # strings, byte strings and booleans have no order
    return TRUE if (left == right) == (operator == EQUAL) else FALSE


def real_of(value: PropertyValue) -> float:
    """A number as a real; a NaN for any other value."""
    if isinstance(value, float):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    return _NAN


# ---- operands


@final
class Literal(Operand):
    """A value of the text."""

    def __init__(self, at: int, value: PropertyValue) -> None:
        super().__init__(at)
        self.constant = value

    def value(self, source: PropertySource) -> PropertyValue:
        return self.constant


@final
class Name(Operand):
    """A property."""

    def __init__(self, at: int, index: i64, name: str) -> None:
        super().__init__(at)
        self.index: i64 = index
        self.name = name

    def value(self, source: PropertySource) -> PropertyValue:
        return source.value_at(self.index)


@final
class Arithmetic(Operand):
    """Sums or products of one level, left to right, as a row: its length makes no tree deep."""

    def __init__(self, first: Operand) -> None:
        super().__init__(first.at)
        self.first = first
        self.operators: list[int] = []
        self.operands: list[Operand] = []

    def value(self, source: PropertySource) -> PropertyValue:
        result = self.first.value(source)
        for index in range(len(self.operands)):
            right = self.operands[index].value(source)
            result = calculate(self.operators[index], result, right)
        return result


@final
class Signed(Operand):
    """A sign before an operand."""

    def __init__(self, at: int, is_minus: bool, operand: Operand) -> None:
        super().__init__(at)
        self.is_minus = is_minus
        self.operand = operand

    def value(self, source: PropertySource) -> PropertyValue:
        operator = SUBTRACT if self.is_minus else ADD
        return calculate(operator, 0, self.operand.value(source))


def calculate(operator: i64, left: PropertyValue, right: PropertyValue) -> PropertyValue:
    """The result; None if it is unknown, a NaN if an operand is not a number."""
    if left is None or right is None:
        return None
    if isinstance(left, int) and isinstance(right, int):
        if not isinstance(left, bool) and not isinstance(right, bool):
            return _of_integers(operator, left, right)
    return _of_reals(operator, real_of(left), real_of(right))


def _of_integers(operator: i64, left: int, right: int) -> int | None:
    if operator == ADD:
        result = left + right
    elif operator == SUBTRACT:
        result = left - right
    elif operator == MULTIPLY:
        result = left * right
    elif right == 0:
        return None
    else:
        result = abs(left) // abs(right)  # towards zero
        if (left < 0) != (right < 0):
            result = -result
    return result if INT64_MIN <= result <= INT64_MAX else None


def _of_reals(operator: i64, left: float, right: float) -> float | None:
    if left != left or right != right:  # a NaN
        return _NAN
    if operator == ADD:
        result = left + right
    elif operator == SUBTRACT:
        result = left - right
    elif operator == MULTIPLY:
        result = left * right
    elif right == 0.0:
        return None
    else:
        result = left / right
    return result if -_REAL_MAX <= result <= _REAL_MAX else None


# ---- conditions


@final
class Constant(Condition):
    """A truth that no message changes."""

    def __init__(self, at: int, truth: i64) -> None:
        super().__init__(at)
        self.constant: i64 = truth

    def truth(self, source: PropertySource) -> i64:
        return self.constant


@final
class Every(Condition):
    """AND of two or more."""

    def __init__(self, parts: list[Condition]) -> None:
        super().__init__(parts[0].at)
        self.parts = parts

    def truth(self, source: PropertySource) -> i64:
        result: i64 = TRUE
        for part in self.parts:
            one = part.truth(source)
            if one == FALSE:
                return FALSE
            if one == UNKNOWN:
                result = UNKNOWN
        return result


@final
class Either(Condition):
    """OR of two or more."""

    def __init__(self, parts: list[Condition]) -> None:
        super().__init__(parts[0].at)
        self.parts = parts

    def truth(self, source: PropertySource) -> i64:
        result: i64 = FALSE
        for part in self.parts:
            one = part.truth(source)
            if one == TRUE:
                return TRUE
            if one == UNKNOWN:
                result = UNKNOWN
        return result


@final
class Not(Condition):
    """NOT of a condition."""

    def __init__(self, at: int, part: Condition) -> None:
        super().__init__(at)
        self.part = part

    def truth(self, source: PropertySource) -> i64:
        one = self.part.truth(source)
        return one if one == UNKNOWN else TRUE - one


@final
class Flag(Condition):
    """A boolean property as a condition."""

    def __init__(self, at: int, index: i64) -> None:
        super().__init__(at)
        self.index: i64 = index

    def truth(self, source: PropertySource) -> i64:
        value = source.value_at(self.index)
        if value is None:
            return UNKNOWN
        return TRUE if value is True else FALSE


@final
class Comparison(Condition):
    """Two operands of any kind."""

    def __init__(self, operator: i64, left: Operand, right: Operand) -> None:
        super().__init__(left.at)
        self.operator: i64 = operator
        self.left = left
        self.right = right

    def truth(self, source: PropertySource) -> i64:
        return compare(self.operator, self.left.value(source), self.right.value(source))


@final
class TextComparison(Condition):
    """A property and a string: the test that most selectors are made of."""

    def __init__(self, at: int, operator: i64, name: Name, text: str) -> None:
        super().__init__(at)
        self.operator: i64 = operator
        self.index: i64 = name.index
        self.name = name
        self.text = text

    def truth(self, source: PropertySource) -> i64:
        value = source.value_at(self.index)
        if value is None:
            return UNKNOWN
        if self.operator > NOT_EQUAL or not isinstance(value, str):
            return FALSE
        return TRUE if (value == self.text) == (self.operator == EQUAL) else FALSE


@final
class IntegerComparison(Condition):
    """A property and an integer."""

    def __init__(self, at: int, operator: i64, name: Name, number: int) -> None:
        super().__init__(at)
        self.operator: i64 = operator
        self.index: i64 = name.index
        self.number = number

    def truth(self, source: PropertySource) -> i64:
        value = source.value_at(self.index)
        if isinstance(value, int) and not isinstance(value, bool):
            return TRUE if compare_integers(self.operator, value, self.number) else FALSE
        return compare(self.operator, value, self.number)


@final
class Between(Condition):
    """x BETWEEN low AND high is x >= low AND x <= high; with NOT it is x < low OR x > high."""

    def __init__(self, is_not: bool, operand: Operand, low: Operand, high: Operand) -> None:
        super().__init__(operand.at)
        self.is_not = is_not
        self.operand = operand
        self.low = low
        self.high = high

    def truth(self, source: PropertySource) -> i64:
        value = self.operand.value(source)
        low = self.low.value(source)
        high = self.high.value(source)
        if self.is_not:
            below = compare(LESS, value, low)
            above = compare(GREATER, value, high)
            if below == TRUE or above == TRUE:
                return TRUE
            return UNKNOWN if below == UNKNOWN or above == UNKNOWN else FALSE
        reached = compare(GREATER_OR_EQUAL, value, low)
        kept = compare(LESS_OR_EQUAL, value, high)
        if reached == FALSE or kept == FALSE:
            return FALSE
        return UNKNOWN if reached == UNKNOWN or kept == UNKNOWN else TRUE


@final
class In(Condition):
    """A property that is, or is not, one of some strings."""

    def __init__(self, is_not: bool, name: Name, texts: list[str]) -> None:
        super().__init__(name.at)
        self.is_not = is_not
        self.index: i64 = name.index
        self.texts = set(texts)

    def truth(self, source: PropertySource) -> i64:
        value = source.value_at(self.index)
        if value is None:
            return UNKNOWN
        if not isinstance(value, str):
            return FALSE
        return TRUE if (value in self.texts) != self.is_not else FALSE


@final
class Like(Condition):
    """A property that has, or has not, the form of a pattern."""

    def __init__(self, is_not: bool, name: Name, pattern: Pattern) -> None:
        super().__init__(name.at)
        self.is_not = is_not
        self.index: i64 = name.index
        self.pattern = pattern

    def truth(self, source: PropertySource) -> i64:
        value = source.value_at(self.index)
        if value is None:
            return UNKNOWN
        if not isinstance(value, str):
            return FALSE
        return TRUE if self.pattern.matches(value) != self.is_not else FALSE


@final
class IsNull(Condition):
    """A property that is, or is not, there."""

    def __init__(self, is_not: bool, name: Name) -> None:
        super().__init__(name.at)
        self.is_not = is_not
        self.index: i64 = name.index

    def truth(self, source: PropertySource) -> i64:
        return TRUE if (source.value_at(self.index) is None) != self.is_not else FALSE
