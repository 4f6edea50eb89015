"""A second evaluator of selectors, slow and plain, to compare the compiled one with.

It shares nothing with ternmq.codec.selector: characters are read one by one, the grammar is a
function each that calls the next, the tree is tuples, truth is True, False or None, and LIKE fills
a table.
"""

from __future__ import annotations

import struct
import sys
import unicodedata
from collections.abc import Callable
from typing import Any

Value = bool | int | float | str | bytes | None
Tree = tuple[Any, ...]

SYNTAX = 2459
ALWAYS_FALSE = 2504
LENGTH = 2519
CONTENT = 2551

WORDS = ["NULL", "TRUE", "FALSE", "NOT", "AND", "OR", "BETWEEN", "LIKE", "IN", "IS", "ESCAPE"]
BLANKS = {9, 10, 11, 12, 13, 28, 29, 30, 31, 32, 0x1680, 0x180E, 0x2028, 0x2029, 0x202F, 0x205F}
BLANKS |= {0x3000, *range(0x2000, 0x200B)}
BOTTOM = object()  # what an operator makes of a value that is not of its type


class Refused(Exception):
    """The text is not a selector."""

    def __init__(self, reason: int) -> None:
        super().__init__(reason)
        self.reason = reason


def judge(text: str, messages: list[dict[str, Value]]) -> list[bool | None] | int:
    """The truth for each message, or the reason why the text is refused."""
    if len(text) > 10240:
        return LENGTH
    usual = sys.getrecursionlimit()
    sys.setrecursionlimit(usual + 2000)  # a nesting of 100 is 800 calls here
    try:
        reader = Reader(text)
        tree = reader.whole()
        if all(token[0] != "name" for token in reader.tokens) and truth(tree, {}) is not True:
            return ALWAYS_FALSE
        return [truth(tree, message) for message in messages]
    except Refused as refused:
        return refused.reason
    finally:
        sys.setrecursionlimit(usual)


# ---- characters to tokens


def is_letter(character: str, is_first: bool) -> bool:
    kinds = {"Lu", "Ll", "Lt", "Lm", "Lo", "Nl", "Sc", "Pc"}
    if not is_first:
        kinds |= {"Nd", "Mc", "Mn", "Cf"}
    return unicodedata.category(character) in kinds


def tokens_of(text: str) -> list[Tree]:
    """("op", "<="), ("word", "AND"), ("name", "a.b"), ("value", 5) and last ("end",)."""
    found: list[Tree] = []
    at = 0
    while at < len(text):
        character = text[at]
        if ord(character) in BLANKS:
            at += 1
        elif character == "'":
            at, value = read_string(text, at)
            found.append(("value", value))
        elif character == '"':
            end = text.find('"', at + 1)
            if end < 0:
                raise Refused(SYNTAX)
            found.append(("value", read_bytes(text[at + 1 : end])))
            at = end + 1
        elif text[at : at + 2] in ("<>", "<=", ">="):
            found.append(("op", text[at : at + 2]))
            at += 2
        elif character in "=<>+-*/(),":
            found.append(("op", character))
            at += 1
        else:
            at, token = read_blob(text, at)
            found.append(token)
    found.append(("end",))
    return found


def read_string(text: str, at: int) -> tuple[int, str]:
    made = ""
    at += 1
    while at < len(text):
        if text[at] != "'":
            made += text[at]
            at += 1
        elif text[at + 1 : at + 2] == "'":
            made += "'"
            at += 2
        else:
            return at + 1, made
    raise Refused(SYNTAX)


def read_bytes(inside: str) -> bytes:
    digits = inside[2:]
    if inside[:2] not in ("0x", "0X") or not digits or len(digits) % 2:
        raise Refused(SYNTAX)
    if any(one not in "0123456789abcdefABCDEF" for one in digits):
        raise Refused(SYNTAX)
    return bytes(int(digits[i : i + 2], 16) for i in range(0, len(digits), 2))


def read_blob(text: str, at: int) -> tuple[int, Tree]:
    """Letters, digits and periods without a gap: a number if they begin as one, else a name."""
    begin = at
    is_number = text[at] in "0123456789" or (
        text[at] == "." and at + 1 < len(text) and text[at + 1] in "0123456789"
    )
    while at < len(text) and (text[at] in "._$" or text[at].isalnum() or ord(text[at]) > 127):
        if ord(text[at]) in BLANKS:
            break
        is_exponent = is_number and text[at] in "eE" and text[begin : begin + 2] not in ("0x", "0X")
        at += 1
        if is_exponent and at + 1 < len(text) and text[at] in "+-" and text[at + 1] in "0123456789":
            # The sign belongs to the number if what is before the E is one.
            if is_plain_decimal(text[begin : at - 1]):
                at += 1
    if at == begin:
        raise Refused(SYNTAX)
    blob = text[begin:at]
    return at, ("value", number_of(blob)) if is_number else name_of(blob)


def is_plain_decimal(blob: str) -> bool:
    return all(one in "0123456789." for one in blob) and blob.count(".") <= 1


def name_of(blob: str) -> Tree:
    if blob.isascii() and blob.upper() in WORDS:
        return ("word", blob.upper())
    for part in blob.split("."):
        if not part or not is_letter(part[0], True):
            raise Refused(SYNTAX)
        if not all(is_letter(one, False) for one in part[1:]):
            raise Refused(SYNTAX)
    parts = blob.split(".")
    if len(parts) > 1 and (parts[0] == "Body" or (parts[0] == "Root" and parts[1] != "MQMD")):
        raise Refused(CONTENT)
    if parts == ["Root", "MQMD"]:
        raise Refused(CONTENT)
    return ("name", blob)


def digits_in(text: str, base: str, least: int = 1) -> bool:
    return len(text) >= least and all(one in base for one in text)


def number_of(blob: str) -> int | float:
    decimal = "0123456789"
    body = blob[:-1] if blob[-1] in "lL" else blob
    if body[:2] in ("0x", "0X"):
        if not digits_in(body[2:], decimal + "abcdefABCDEF"):
            raise Refused(SYNTAX)
        return whole_number(int(body[2:], 16))
    if len(body) > 1 and body[0] == "0" and body[1] in decimal:
        if not digits_in(body, "01234567"):
            raise Refused(SYNTAX)
        return whole_number(int(body, 8))
    if digits_in(body, decimal):
        return whole_number(int(body) if len(body) < 30 else 1 << 80)
    body = blob[:-1] if blob[-1] in "fFdD" else blob
    mantissa, mark, exponent = body.replace("E", "e").partition("e")
    if mark and not digits_in(exponent.lstrip("+-"), decimal):
        raise Refused(SYNTAX)
    left, _, right = mantissa.partition(".")
    if not digits_in(left + right, decimal) or mantissa.count(".") > 1:
        raise Refused(SYNTAX)
    made = float(body)
    if made == float("inf"):
        raise Refused(SYNTAX)
    return made


def whole_number(made: int) -> int:
    if made > 2**63:
        raise Refused(SYNTAX)
    return made


# ---- tokens to a tree


class Reader:
    """One function a level of the grammar, weakest first."""

    def __init__(self, text: str) -> None:
        self.tokens = tokens_of(text)
        self.at = 0
        self.depth = 0
        self.tests = 0

    def peek(self, *wanted: str) -> bool:
        token = self.tokens[self.at]
        return token[0] in ("op", "word") and token[1] in wanted

    def take(self, *wanted: str) -> str:
        """The next operator or keyword if it is one of these, else an empty text."""
        if not self.peek(*wanted):
            return ""
        self.at += 1
        return str(self.tokens[self.at - 1][1])

    def need(self, wanted: str) -> None:
        if not self.take(wanted):
            raise Refused(SYNTAX)

    def string(self) -> str:
        token = self.tokens[self.at]
        if token[0] != "value" or not isinstance(token[1], str):
            raise Refused(SYNTAX)
        self.at += 1
        return token[1]

    def whole(self) -> Tree:
        tree = self.condition(self.either())
        if self.tokens[self.at][0] != "end":
            raise Refused(SYNTAX)
        return tree

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > 100:
            raise Refused(SYNTAX)

    def condition(self, tree: Tree) -> Tree:
        if tree[0] in ("and", "or", "not", "test"):
            return tree
        if tree[0] == "name" or (tree[0] == "value" and isinstance(tree[1], bool)):
            return self.test("truth", False, tree)
        raise Refused(SYNTAX)

    def test(self, kind: str, is_not: bool, *rest: Any) -> Tree:
        self.tests += 1
        if self.tests > 100:
            raise Refused(SYNTAX)
        return ("test", kind, is_not, *rest)

    def either(self) -> Tree:
        tree = self.every()
        while self.take("OR"):
            left = self.condition(tree)
            tree = ("or", left, self.condition(self.every()))
        return tree

    def every(self) -> Tree:
        tree = self.negation()
        while self.take("AND"):
            left = self.condition(tree)
            tree = ("and", left, self.condition(self.negation()))
        return tree

    def negation(self) -> Tree:
        if self.take("NOT"):
            self.deeper()
            tree = ("not", self.condition(self.negation()))
            self.depth -= 1
            return tree
        return self.predicate()

    def predicate(self) -> Tree:
        tree = self.sum()
        while True:
            made = self.one_test(tree)
            if made is None:
                return tree
            tree = made

    def one_test(self, tree: Tree) -> Tree | None:
        operator = self.take("=", "<>", "<", "<=", ">", ">=")
        if operator:
            left, right = value_tree(tree), value_tree(self.sum())
            made = self.test("compare", False, operator, left, right)
            if operator not in ("=", "<>") and known_kind(left) == known_kind(right):
                if known_kind(left) in (str, bytes, bool):
                    raise Refused(SYNTAX)
            return made
        if self.take("IS"):
            is_not = self.take("NOT") != ""
            self.need("NULL")
            return self.test("null", is_not, name_tree(tree))
        is_not = self.take("NOT") != ""
        if self.take("BETWEEN"):
            low = number_tree(self.sum())
            self.need("AND")
            return self.test("between", is_not, number_tree(tree), low, number_tree(self.sum()))
        if self.take("IN"):
            self.need("(")
            texts = [self.string()]
            while self.take(","):
                texts.append(self.string())
            self.need(")")
            return self.test("in", is_not, name_tree(tree), texts)
        if self.take("LIKE"):
            return self.test("like", is_not, name_tree(tree), self.pattern())
        if is_not:
            raise Refused(SYNTAX)
        return None

    def pattern(self) -> list[tuple[str, str]]:
        """("one", c), ("any", "") for _, ("many", "") for %."""
        text = self.string()
        escape = None
        if self.take("ESCAPE"):
            escape = self.string()
            if len(escape) != 1:
                raise Refused(SYNTAX)
        made: list[tuple[str, str]] = []
        at = 0
        while at < len(text):
            if text[at] == escape:
                at += 1
                if at == len(text):
                    raise Refused(SYNTAX)
                made.append(("one", text[at]))
            else:
                kind = {"_": "any", "%": "many"}.get(text[at], "one")
                made.append((kind, text[at]))
            at += 1
        return made

    def sum(self) -> Tree:
        tree = self.product()
        while operator := self.take("+", "-"):
            left = number_tree(tree)
            tree = ("calculate", operator, left, number_tree(self.product()))
        return tree

    def product(self) -> Tree:
        tree = self.sign()
        while operator := self.take("*", "/"):
            left = number_tree(tree)
            tree = ("calculate", operator, left, number_tree(self.sign()))
        return tree

    def sign(self) -> Tree:
        operator = self.take("+", "-")
        if not operator:
            return self.primary()
        token = self.tokens[self.at]
        if operator == "-" and token == ("value", 2**63) and not isinstance(token[1], float):
            self.deeper()
            self.depth -= 1
            self.at += 1
            return ("value", -(2**63))
        self.deeper()
        tree = ("calculate", operator, ("value", 0), number_tree(self.sign()))
        self.depth -= 1
        return tree

    def primary(self) -> Tree:
        if self.take("("):
            self.deeper()
            tree = self.either()
            self.need(")")
            self.depth -= 1
            return tree
        token = self.tokens[self.at]
        if self.peek("TRUE", "FALSE"):
            self.at += 1
            return ("value", token[1] == "TRUE")
        if token[0] not in ("name", "value"):
            raise Refused(SYNTAX)
        if isinstance(token[1], int) and token[1] == 2**63:
            raise Refused(SYNTAX)
        self.at += 1
        return token


def value_tree(tree: Tree) -> Tree:
    if tree[0] not in ("name", "value", "calculate"):
        raise Refused(SYNTAX)
    return tree


def name_tree(tree: Tree) -> Tree:
    if tree[0] != "name":
        raise Refused(SYNTAX)
    return tree


def number_tree(tree: Tree) -> Tree:
    if value_tree(tree)[0] == "value" and isinstance(tree[1], (bool, str, bytes)):
        raise Refused(SYNTAX)
    return tree


def known_kind(tree: Tree) -> type | None:
    return type(tree[1]) if tree[0] == "value" else None


# ---- a tree to a truth


def truth(tree: Tree, properties: dict[str, Value]) -> bool | None:
    kind = tree[0]
    if kind in ("and", "or"):
        # A row to the left can be long; the tree is as deep as it is.
        parts = []
        while tree[0] == kind:
            parts.append(truth(tree[2], properties))
            tree = tree[1]
        parts.append(truth(tree, properties))
        decides = bool(kind == "or")
        if decides in parts:
            return decides
        return None if None in parts else not decides
    if kind == "not":
        inner = truth(tree[1], properties)
        return None if inner is None else not inner
    _, name, is_not, *rest = tree
    return TESTS[name](properties, is_not, *rest)


def is_truth(properties: dict[str, Value], is_not: bool, tree: Tree) -> bool | None:
    value = value_of(tree, properties)
    if value is None:
        return None
    return value is True


def is_null(properties: dict[str, Value], is_not: bool, tree: Tree) -> bool | None:
    return (value_of(tree, properties) is None) is not is_not


def is_in(properties: dict[str, Value], is_not: bool, tree: Tree, texts: list[str]) -> bool | None:
    value = value_of(tree, properties)
    if not isinstance(value, str):
        return None if value is None else False
    return any(value == text for text in texts) is not is_not


def is_like(
    properties: dict[str, Value], is_not: bool, tree: Tree, pattern: list[tuple[str, str]]
) -> bool | None:
    value = value_of(tree, properties)
    if not isinstance(value, str):
        return None if value is None else False
    # reached[i]: the pattern so far can stand for the first i characters.
    reached = [True] + [False] * len(value)
    for kind, character in pattern:
        if kind == "many":
            first = reached.index(True) if True in reached else len(reached)
            reached = [i >= first for i in range(len(reached))]
        else:
            reached = [False] + [
                reached[i] and (kind == "any" or value[i] == character) for i in range(len(value))
            ]
    return reached[-1] is not is_not


def is_between(
    properties: dict[str, Value], is_not: bool, tree: Tree, low: Tree, high: Tree
) -> bool | None:
    if is_not:
        written: Tree = ("or", compare_tree("<", tree, low), compare_tree(">", tree, high))
    else:
        written = ("and", compare_tree(">=", tree, low), compare_tree("<=", tree, high))
    return truth(written, properties)


def compare_tree(operator: str, left: Tree, right: Tree) -> Tree:
    return ("test", "compare", False, operator, left, right)


def compares(
    properties: dict[str, Value], is_not: bool, operator: str, left: Tree, right: Tree
) -> bool | None:
    one, other = value_of(left, properties), value_of(right, properties)
    if one is None or other is None:
        return None
    if is_numeric(one) and is_numeric(other):
        if type(one) is not type(other):
            one, other = float(one), float(other)
        if one != one or other != other:
            return False
        order = (one > other) - (one < other)
        allowed = {"=": (0,), "<>": (-1, 1), "<": (-1,), "<=": (-1, 0), ">": (1,), ">=": (0, 1)}
        return order in allowed[operator]
    if type(one) is not type(other) or operator not in ("=", "<>") or one is BOTTOM:
        return False
    return bool(one == other) is (operator == "=")


def is_numeric(value: Any) -> bool:
    return type(value) in (int, float)


def value_of(tree: Tree, properties: dict[str, Value]) -> Any:
    if tree[0] == "value":
        return tree[1]
    if tree[0] == "name":
        return properties.get(tree[1])
    # A row of sums to the left can be long as well.
    row = []
    while tree[0] == "calculate":
        row.append((tree[1], value_of(tree[3], properties)))
        tree = tree[2]
    made = value_of(tree, properties)
    for operator, right in reversed(row):
        made = calculated(operator, made, right)
    return made


def calculated(operator: str, left: Any, right: Any) -> Any:
    if left is None or right is None:
        return None
    if not is_numeric(left) or not is_numeric(right) or left != left or right != right:
        return BOTTOM
    if operator == "/" and right == 0:
        return None
    if type(left) is int and type(right) is int:
        if operator == "/":
            exact = divmod(abs(left), abs(right))[0]
            made = exact if (left >= 0) == (right >= 0) else -exact
        else:
            made = {"+": left + right, "-": left - right, "*": left * right}[operator]
        try:
            struct.pack(">q", made)
        except struct.error:
            return None
        return made
    one, other = float(left), float(right)
    if operator == "+":
        result = one + other
    elif operator == "-":
        result = one - other
    else:
        result = one * other if operator == "*" else one / other
    return result if abs(result) < float("inf") else None


TESTS: dict[str, Callable[..., bool | None]] = {
    "truth": is_truth,
    "null": is_null,
    "in": is_in,
    "like": is_like,
    "between": is_between,
    "compare": compares,
}
