"""From the words of a selection string to its tree, in one pass without recursion.

    selector   condition
    condition  test, NOT condition, condition AND condition, condition OR condition, (condition)
    test       operand  = <> < <= > >=  operand
               number [NOT] BETWEEN number AND number
               name [NOT] IN (string, ...)
               name [NOT] LIKE string [ESCAPE string of one character]
               name IS [NOT] NULL
               name, TRUE, FALSE
    number     operands joined by + - * / and parentheses, signs before them

What binds weakest is first: OR, AND, NOT, tests, + and -, * and /, signs. Operators wait on a stack
until one comes that binds no stronger. No generated parser: docs/internals/dependencies.md has the
figures.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.codec.property import PropertyValue
from ternmq.codec.selector import folding, nodes
from ternmq.codec.selector.lexer import (
    END,
    INT64_MAX,
    INT64_MIN,
    KEYWORD,
    LITERAL,
    NAME,
    OPERATOR,
    Word,
    shown,
    syntax_error,
    words_of,
)
from ternmq.codec.selector.like import compile_pattern
from ternmq.codec.selector.nodes import Condition, Literal, Name, Node, Operand

TESTS_MAX: Final = 100  # as IBM MQ protects itself
NESTING_MAX: Final = 100  # parentheses, NOT and signs, each inside the one before

# How strongly an operator binds.
_OPEN: Final = 0
_OR: Final = 1
_AND: Final = 2
_NOT: Final = 3
_TEST: Final = 4
_SUM: Final = 5
_PRODUCT: Final = 6
_SIGN: Final = 7

# What a waiting operator of level _TEST is, beside the comparisons of `nodes`.
_BETWEEN_LOW: Final = 10  # its AND has not come yet
_BETWEEN_HIGH: Final = 11

_COMPARISONS: Final = {
    "=": nodes.EQUAL,
    "<>": nodes.NOT_EQUAL,
    "<": nodes.LESS,
    "<=": nodes.LESS_OR_EQUAL,
    ">": nodes.GREATER,
    ">=": nodes.GREATER_OR_EQUAL,
}
_SUMS: Final = {"+": nodes.ADD, "-": nodes.SUBTRACT}
_PRODUCTS: Final = {"*": nodes.MULTIPLY, "/": nodes.DIVIDE}


@final
class _Waiting:
    """An operator whose right side is not complete."""

    __slots__ = ("at", "is_not", "level", "operator")

    def __init__(self, level: int, operator: int, at: int, is_not: bool = False) -> None:
        self.level = level
        self.operator = operator
        self.at = at
        self.is_not = is_not


@final
class Parser:
    """Reads one selection string."""

    def __init__(self, text: str) -> None:
        self.names: list[str] = []  # in the order in which they first stand in the text
        self.mentions = 0  # how often the text has a name
        self._index: dict[str, int] = {}
        self._words = words_of(text)
        self._next = 0
        self._operands: list[Node] = []
        self._waiting: list[_Waiting] = []
        self._nesting = 0
        self._tests = 0

    def parse(self) -> Condition:
        """The whole selector as a condition."""
        while True:
            self._read_operand()
            if self._read_operator():
                return self._condition(self._operands.pop())

    # ---- words

    def _take(self) -> Word:
        word = self._words[self._next]
        if word.kind != END:
            self._next += 1
        return word

    def _take_keyword(self, text: str) -> bool:
        """Take the next word if it is this keyword."""
        word = self._words[self._next]
        if word.kind != KEYWORD or word.text != text:
            return False
        self._next += 1
        return True

    def _take_operator(self, text: str, after: str) -> None:
        word = self._take()
        if word.kind != OPERATOR or word.text != text:
            raise _unexpected(word, f"{text} after {after}")

    def _take_string(self, after: str) -> tuple[Word, str]:
        word = self._take()
        value = word.value
        if not isinstance(value, str):
            raise _unexpected(word, f"a string in 'single' marks after {after}")
        return word, value

    # ---- operands

    def _read_operand(self) -> None:
        """What stands before an operand, and the operand."""
        while True:
            word = self._take()
            if word.kind == NAME:
                self._operands.append(Name(word.at, self._index_of(word.text), word.text))
                return
            if word.kind == LITERAL:
                self._operands.append(Literal(word.at, self._value_of(word)))
                return
            if word.kind == KEYWORD and word.text in ("TRUE", "FALSE"):
                self._operands.append(Literal(word.at, word.text == "TRUE"))
                return
            self._nest(word)

    def _nest(self, word: Word) -> None:
        """A parenthesis, a sign or NOT before an operand."""
        if word.kind == OPERATOR and word.text == "(":
            self._wait(_OPEN, 0, word)
        elif word.kind == OPERATOR and word.text in _SUMS:
            self._wait(_SIGN, _SUMS[word.text], word)
        elif word.kind == KEYWORD and word.text == "NOT" and self._level() <= _NOT:
            self._wait(_NOT, 0, word)
        else:
            raise _unexpected(word, "a name, a literal or (")
        self._nesting += 1
        if self._nesting > NESTING_MAX:
            what = f"more than {NESTING_MAX} parentheses, signs and NOT are inside each other"
            raise syntax_error(word.at, f"{what}; write the selector flatter")

    def _index_of(self, name: str) -> int:
        self.mentions += 1
        index = self._index.get(name, -1)
        if index < 0:
            index = len(self.names)
            self._index[name] = index
            self.names.append(name)
        return index

    def _value_of(self, word: Word) -> PropertyValue:
        """The value of a literal. The lowest integer is read with its sign."""
        value = word.value
        if isinstance(value, int) and value > INT64_MAX:
            if self._level() != _SIGN or self._waiting[-1].operator != nodes.SUBTRACT:
                raise syntax_error(word.at, f"{shown(word.text)} is larger than a number can be")
            self._waiting.pop()
            self._nesting -= 1
            return INT64_MIN
        return value

    # ---- operators

    def _read_operator(self) -> bool:
        """What stands behind an operand, up to where another one must come; or the end: True."""
        while True:
            word = self._take()
            if word.kind == END:
                self._reduce(_OR)
                if self._waiting:
                    raise syntax_error(self._waiting[-1].at, "this ( is never closed")
                return True
            if word.kind == OPERATOR and word.text == ")":
                self._close(word)
            elif word.kind == OPERATOR:
                self._binary(word)
                return False
            elif word.kind == KEYWORD:
                if self._keyword(word):
                    return False
            else:
                raise _unexpected(word, "an operator")

    def _close(self, word: Word) -> None:
        self._reduce(_OR)
        if not self._waiting:
            raise syntax_error(word.at, "this ) closes nothing")
        self._waiting.pop()
        self._nesting -= 1

    def _binary(self, word: Word) -> None:
        if word.text in _COMPARISONS:
            self._left_of_test(word)
            self._wait(_TEST, _COMPARISONS[word.text], word)
        elif word.text in _SUMS:
            self._reduce(_SUM)
            self._wait(_SUM, _SUMS[word.text], word)
        elif word.text in _PRODUCTS:
            self._reduce(_PRODUCT)
            self._wait(_PRODUCT, _PRODUCTS[word.text], word)
        else:
            raise _unexpected(word, "an operator")

    def _keyword(self, word: Word) -> bool:
        """AND, OR, or a test by keyword; whether an operand must follow."""
        text = word.text
        is_not = text == "NOT"
        if is_not:
            word = self._take()
            text = word.text if word.kind == KEYWORD else ""
            if text not in ("BETWEEN", "IN", "LIKE"):
                raise _unexpected(word, "BETWEEN, IN or LIKE after NOT")
        if text == "AND":
            self._and(word)
            return True
        if text == "OR":
            self._reduce(_OR)
            self._wait(_OR, 0, word)
            return True
        if text == "BETWEEN":
            self._left_of_test(word)
            self._waiting.append(_Waiting(_TEST, _BETWEEN_LOW, word.at, is_not))
            return True
        if text == "IN":
            self._test(self._in(self._name_before(word), is_not))
        elif text == "LIKE":
            self._test(self._like(self._name_before(word), is_not))
        elif text == "IS":
            self._test(self._is_null(self._name_before(word)))
        else:
            raise _unexpected(word, "an operator")
        return False

    def _and(self, word: Word) -> None:
        """AND; or that of a BETWEEN."""
        self._reduce(_SUM)
        if self._level() == _TEST and self._waiting[-1].operator == _BETWEEN_LOW:
            self._waiting[-1].operator = _BETWEEN_HIGH
            return
        self._reduce(_AND)
        self._wait(_AND, 0, word)

    # ---- tests by keyword

    def _left_of_test(self, word: Word) -> Operand:
        """The operand before a test, which no test may be."""
        self._reduce(_TEST)
        left = self._operands[-1]
        if not isinstance(left, Operand):
            what = f"{shown(word.text)} cannot follow a condition; join conditions with AND or OR"
            raise syntax_error(word.at, what)
        return left

    def _name_before(self, word: Word) -> Name:
        left = self._left_of_test(word)
        if not isinstance(left, Name):
            raise syntax_error(left.at, f"{word.text} needs the name of a property before it")
        self._operands.pop()
        return left

    def _in(self, name: Name, is_not: bool) -> Condition:
        self._take_operator("(", "IN")
        texts: list[str] = []
        while True:
            texts.append(self._take_string("IN ( or a comma")[1])
            word = self._words[self._next]
            if word.kind != OPERATOR or word.text != ",":
                break
            self._next += 1
        self._take_operator(")", "the strings of IN")
        return nodes.In(is_not, name, texts)

    def _like(self, name: Name, is_not: bool) -> Condition:
        word, text = self._take_string("LIKE")
        escape = ""
        if self._take_keyword("ESCAPE"):
            mark, escape = self._take_string("ESCAPE")
            if len(escape) != 1:
                raise syntax_error(mark.at, f"ESCAPE has one character, not {shown(mark.text)}")
        pattern = compile_pattern(text, escape)
        if pattern is None:
            what = f"nothing follows the last escape character {shown(escape)} of the pattern"
            raise syntax_error(word.at, what)
        return nodes.Like(is_not, name, pattern)

    def _is_null(self, name: Name) -> Condition:
        is_not = self._take_keyword("NOT")
        if not self._take_keyword("NULL"):
            raise _unexpected(self._take(), "NULL or NOT NULL after IS; equal is =")
        return nodes.IsNull(is_not, name)

    # ---- the stack of operators

    def _level(self) -> int:
        """How strongly the last waiting operator binds."""
        return self._waiting[-1].level if self._waiting else _OPEN

    def _wait(self, level: int, operator: int, word: Word) -> None:
        self._waiting.append(_Waiting(level, operator, word.at))

    def _reduce(self, level: int) -> None:
        """Apply the operators that bind as strongly as this or stronger."""
        while self._level() >= level and self._waiting:
            self._apply(self._waiting.pop())

    def _apply(self, waiting: _Waiting) -> None:
        right = self._operands.pop()
        level = waiting.level
        if level == _NOT:
            self._nesting -= 1
            self._operands.append(folding.negated(waiting.at, self._condition(right)))
        elif level == _SIGN:
            self._nesting -= 1
            self._operands.append(folding.signed(waiting.at, waiting.operator, _number(right)))
        elif level in (_SUM, _PRODUCT):
            left = _number(self._operands.pop())
            self._operands.append(folding.calculated(waiting.operator, left, _number(right)))
        elif level in (_AND, _OR):
            last = self._condition(right)
            first = self._condition(self._operands.pop())
            self._operands.append(folding.joined(level == _AND, first, last))
        elif waiting.operator == _BETWEEN_LOW:
            raise syntax_error(waiting.at, "BETWEEN needs two numbers with AND between them")
        elif waiting.operator == _BETWEEN_HIGH:
            low = _number(self._operands.pop())
            operand = _number(self._operands.pop())
            self._test(folding.between(waiting.is_not, operand, low, _number(right)))
        else:
            left = _operand(self._operands.pop())
            self._test(folding.compared(waiting.operator, waiting.at, left, _operand(right)))

    def _test(self, condition: Condition) -> None:
        self._count_test(condition.at)
        self._operands.append(condition)

    def _count_test(self, at: int) -> None:
        self._tests += 1
        if self._tests > TESTS_MAX:
            what = f"the selector has more than {TESTS_MAX} tests; use IN, or several selectors"
            raise syntax_error(at, what)

    def _condition(self, node: Node) -> Condition:
        """A node as a condition: a name or a truth value is a test of its own."""
        if isinstance(node, Condition):
            return node
        if isinstance(node, Name):
            self._count_test(node.at)
            return nodes.Flag(node.at, node.index)
        if isinstance(node, Literal) and isinstance(node.constant, bool):
            self._count_test(node.at)
            return nodes.Constant(node.at, nodes.TRUE if node.constant else nodes.FALSE)
        raise syntax_error(node.at, "a condition is needed here, and this is only a value")


def _unexpected(word: Word, expected: str) -> Exception:
    found = "the end" if word.kind == END else shown(word.text)
    return syntax_error(word.at, f"found {found}, expected {expected}")


def _operand(node: Node) -> Operand:
    if not isinstance(node, Operand):
        raise syntax_error(node.at, "a value is needed here, and this is a condition")
    return node


def _number(node: Node) -> Operand:
    operand = _operand(node)
    if isinstance(operand, Literal) and isinstance(operand.constant, (bool, str, bytes)):
        raise syntax_error(operand.at, "a number is needed here")
    return operand
