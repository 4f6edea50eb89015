"""Makes the nodes of a selector. What no message changes is worked out here, once.

A property and a string, or an integer, get the quick kinds of comparison. What AND or OR joins
becomes one row, and what decides a row alone takes its place.
"""

from __future__ import annotations

from typing import Final

from ternmq.codec.property import PropertyValue
from ternmq.codec.selector import nodes
from ternmq.codec.selector.lexer import syntax_error
from ternmq.codec.selector.nodes import Condition, Literal, Name, Operand
from ternmq.codec.selector.source import PropertySource

_NOWHERE: Final = PropertySource()  # constants ask for nothing


def signed(at: int, operator: int, operand: Operand) -> Operand:
    """A sign before an operand."""
    if isinstance(operand, Literal):
        return Literal(at, nodes.calculate(operator, 0, operand.constant))
    return nodes.Signed(at, operator == nodes.SUBTRACT, operand)


def calculated(operator: int, left: Operand, right: Operand) -> Operand:
    """left operator right."""
    if isinstance(left, Literal) and isinstance(right, Literal):
        return Literal(left.at, nodes.calculate(operator, left.constant, right.constant))
    row = left if isinstance(left, nodes.Arithmetic) else None
    if row is None or (row.operators[0] >= nodes.MULTIPLY) != (operator >= nodes.MULTIPLY):
        row = nodes.Arithmetic(left)
    row.operators.append(operator)
    row.operands.append(right)
    return row


def between(is_not: bool, operand: Operand, low: Operand, high: Operand) -> Condition:
    """operand [NOT] BETWEEN low AND high."""
    made = nodes.Between(is_not, operand, low, high)
    if isinstance(operand, Literal) and isinstance(low, Literal) and isinstance(high, Literal):
        return nodes.Constant(made.at, made.truth(_NOWHERE))
    return made


def compared(operator: int, at: int, left: Operand, right: Operand) -> Condition:
    """left operator right; `at` is where the operator stands."""
    if isinstance(left, Literal) and isinstance(right, Literal):
        one, other = left.constant, right.constant
        if operator > nodes.NOT_EQUAL and type(one) is type(other):
            if isinstance(one, (bool, str, bytes)):
                raise syntax_error(at, "strings and booleans are compared by = and <> only")
        return nodes.Constant(left.at, nodes.compare(operator, one, other))
    made: Condition | None = None
    if isinstance(left, Name) and isinstance(right, Literal):
        made = _with_literal(operator, left.at, left, right.constant)
    elif isinstance(left, Literal) and isinstance(right, Name):
        made = _with_literal(nodes.SWAPPED[operator], left.at, right, left.constant)
    return nodes.Comparison(operator, left, right) if made is None else made


def _with_literal(operator: int, at: int, name: Name, value: PropertyValue) -> Condition | None:
    """The test of a name and a literal, if there is a quick one."""
    if isinstance(value, str):
        return nodes.TextComparison(at, operator, name, value)
    if isinstance(value, int) and not isinstance(value, bool):
        return nodes.IntegerComparison(at, operator, name, value)
    return None


def negated(at: int, condition: Condition) -> Condition:
    """NOT condition."""
    if isinstance(condition, nodes.Not):
        return condition.part
    made = nodes.Not(at, condition)
    if isinstance(condition, nodes.Constant):
        return nodes.Constant(at, made.truth(_NOWHERE))
    return made


def joined(is_and: bool, first: Condition, last: Condition) -> Condition:
    """first AND last, or OR, as one row with what is joined in the same way already."""
    decides = nodes.FALSE if is_and else nodes.TRUE
    parts: list[Condition] = []
    for one in (first, last):
        if isinstance(one, nodes.Constant):
            if one.constant == decides:
                return nodes.Constant(first.at, decides)
            if one.constant == nodes.UNKNOWN:
                parts.append(one)
        else:
            parts += _row_of(is_and, one)
    if not parts:
        return first
    if len(parts) == 1:
        return parts[0]
    if isinstance(first, nodes.Constant) and isinstance(last, nodes.Constant):
        return parts[0]
    return nodes.Every(parts) if is_and else nodes.Either(parts)


def _row_of(is_and: bool, condition: Condition) -> list[Condition]:
    if is_and:
        return condition.parts if isinstance(condition, nodes.Every) else [condition]
    return condition.parts if isinstance(condition, nodes.Either) else [condition]
