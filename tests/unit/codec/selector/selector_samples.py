"""Selectors and messages by chance, and the comparison of the two evaluators on them.

`any_selector` makes a text by the grammar, most often a right one, and spoils some: a piece too
many, one missing, letters of other scripts. Few names and values, so that tests meet.
"""

from __future__ import annotations

from typing import Final

from ternmq.base.errors import MQError
from ternmq.codec.property import PropertyValue
from ternmq.codec.selector.selector import compile_selector
from ternmq.codec.selector.source import PropertiesByName
from ternmq.testing.chance import Chance
from tests.unit.codec.selector.slow_evaluator import judge

NAMES: Final = ("a", "b", "c", "n", "usr.x", "Root.MQMD.MsgType", "Grösse", "$_1", "JMSPriority")
STRINGS: Final = (
    "",
    "a",
    "ab",
    "abab",
    "a_b",
    "a%b",
    "it's",
    "%",
    "_",
    "\\",
    "ü",
    "😀",
    "3",
    "TRUE",
)
INTEGERS: Final = (0, 1, 2, 3, 7, -1, -3, 100, (1 << 53) + 1, (1 << 63) - 1, -(1 << 63))
REALS: Final = (0.0, -0.0, 0.5, 3.0, -1.5, 1e308, float(1 << 53), 9.223372036854775807e18)
ODD_REALS: Final = (float("inf"), float("-inf"), float("nan"))
BYTES: Final = (b"", b"\x01", b"a", b"\x00\x01", bytes(24))
NUMERALS: Final = (
    *(
        "0",
        "1",
        "2",
        "3",
        "7",
        "57L",
        "57l",
        "0x1F",
        "0XaL",
        "0177",
        "00",
        "0L",
        "9223372036854775807",
    ),
    *("9223372036854775808", "7E3", "7e-3", "6.2", "7.", ".5", "0.5", "57F", "57d", "1e308", "3.0"),
    *(
        "1E309",
        "09",
        "0x",
        "08.5",
        "1.2.3",
        "7.E1",
        "1e",
        "5x",
        "0x1G",
        "1_0",
        "99999999999999999999",
    ),
)
WRONG_RATE: Final = 0.02
LITERAL_BYTES: Final = (
    '"0x01"',
    '"0X61"',
    '"0x0001"',
    '"0x000000000000000000000000000000000000000000000000"',
)
COMPARISONS: Final = ("=", "<>", "<", "<=", ">", ">=")
SPACES: Final = (" ", "  ", "\t", "\n", "\u3000", "\u2003")
PIECES: Final = (
    *(
        "(",
        ")",
        "NOT",
        "AND",
        "OR",
        "=",
        "<>",
        "!=",
        "==",
        "-",
        "+",
        "*",
        "/",
        ",",
        "'",
        '"',
        ".",
        "&&",
    ),
    *(
        "IS",
        "NULL",
        "IN",
        "LIKE",
        "BETWEEN",
        "ESCAPE",
        "TRUE",
        "a",
        "1",
        "'x'",
        '"0x0"',
        "é",
        "\u2019",
        "\0",
    ),
    *(
        "Body.x",
        "Root.XMLNSC.a",
        "Root.MQMD",
        "a..b",
        "x.",
        "²",
        "٣",
        "\x1f",
        "a\u0301",
        "\u0301",
        "1e+",
    ),
)


def any_value(chance: Chance) -> PropertyValue:
    """The value of a property, null too."""
    if chance.happens(0.2):
        return "".join(chance.choice("aab_") for _ in range(chance.randrange(12)))
    kinds: tuple[tuple[PropertyValue, ...], ...] = (
        STRINGS, STRINGS, INTEGERS, INTEGERS, REALS, ODD_REALS, BYTES, (True, False), (None,)
    )  # fmt: skip
    return chance.choice(chance.choice(kinds))


def any_message(chance: Chance) -> dict[str, PropertyValue]:
    """The properties of a message."""
    return {name: any_value(chance) for name in NAMES if chance.happens(0.8)}


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def numeral(chance: Chance) -> str:
    right = NUMERALS.index("1E309")
    return chance.choice(NUMERALS if chance.happens(WRONG_RATE) else NUMERALS[:right])


def number(chance: Chance, depth: int) -> str:
    """An operand that is meant as a number."""
    pick = chance.randrange(8)
    if depth <= 0 or pick < 3:
        return chance.choice(NAMES) if chance.happens(0.6) else numeral(chance)
    if pick < 5:
        return chance.choice("+-") + chance.choice(("", " ")) + number(chance, depth - 1)
    if pick == 5:
        return f"({number(chance, depth - 1)})"
    return f"{number(chance, depth - 1)} {chance.choice('+-*/')} {number(chance, depth - 1)}"


def operand(chance: Chance, depth: int) -> str:
    pick = chance.randrange(10)
    if pick < 3:
        return chance.choice(NAMES)
    if pick < 5:
        return quoted(chance.choice(STRINGS))
    if pick == 5:
        return chance.choice(("TRUE", "FALSE", "true", "fAlse"))
    if pick == 6:
        return chance.choice(LITERAL_BYTES)
    return number(chance, depth)


def pattern(chance: Chance) -> str:
    if chance.happens(0.5):
        text = "".join(chance.choice("aaab__") for _ in range(chance.randrange(6)))
        return quoted(chance.choice(("%", "", "%a")) + text + chance.choice(("%", "%b", "%a_b%")))
    text = "".join(chance.choice("ab%_\\%_") for _ in range(chance.randrange(7)))
    return quoted(text) + chance.choice(("", "", " ESCAPE '\\'", " ESCAPE '%'", " ESCAPE 'a'"))


def test(chance: Chance, depth: int) -> str:
    pick = chance.randrange(12)
    name = chance.choice(NAMES)
    negation = chance.choice(("", "", " NOT"))
    if pick < 6:
        return f"{operand(chance, depth)} {chance.choice(COMPARISONS)} {operand(chance, depth)}"
    if pick == 6:
        low, high = number(chance, depth - 1), number(chance, depth - 1)
        return f"{number(chance, depth - 1)}{negation} BETWEEN {low} AND {high}"
    if pick == 7:
        texts = ", ".join(quoted(chance.choice(STRINGS)) for _ in range(chance.randrange(1, 4)))
        return f"{name}{negation} IN ({texts})"
    if pick < 10:
        return f"{name}{negation} LIKE {pattern(chance)}"
    if pick == 10:
        return f"{name} IS{negation} NULL"
    return chance.choice((name, "TRUE", "FALSE"))


def condition(chance: Chance, depth: int) -> str:
    pick = chance.randrange(9)
    if depth <= 0 or pick < 3:
        return test(chance, min(depth, 3))
    if pick < 5:
        return f"{condition(chance, depth - 1)} AND {condition(chance, depth - 1)}"
    if pick < 7:
        return f"{condition(chance, depth - 1)} or {condition(chance, depth - 1)}"
    if pick == 7:
        return f"NOT {condition(chance, depth - 1)}"
    return f"({condition(chance, depth - 1)})"


def any_selector(chance: Chance) -> str:
    """The text of a selector, right or spoiled."""
    pick = chance.randrange(40)
    if pick == 0:
        return long_selector(chance)
    if pick == 1:
        return "".join(chance.choice(PIECES) + chance.choice(("", " ")) for _ in range(6))
    text = condition(chance, chance.randrange(5))
    if chance.happens(0.3):
        for _ in range(chance.randrange(1, 4)):
            at = chance.randrange(len(text) + 1)
            cut = chance.choice((0, 0, 1, 3))
            text = text[:at] + chance.choice((*PIECES, *SPACES)) + text[at + cut :]
    return text


def long_selector(chance: Chance) -> str:
    """At and about a limit: tests, nesting, length."""
    around = chance.choice((2, 50, 99, 100, 101, 102, 2000))
    pick = chance.randrange(7)
    if pick == 0:
        return chance.choice((" AND ", " OR ")).join(["a = 1"] * around)
    if pick == 1:
        return "(" * around + "a = 1" + ")" * around
    if pick == 2:
        return "NOT " * around + "b"
    if pick == 3:
        return "a = " + "-" * around + "1"
    if pick == 4:
        return "n = 0" + chance.choice(("+1", "-a", "*2", "/3+1")) * around
    if pick == 5:
        return "a = " + "1" * around + chance.choice(("", ".", "E3"))
    return "c LIKE " + quoted(chance.choice(("_%", "%a", "%_", "a%b%")) * around)


def compare(text: str, messages: list[dict[str, PropertyValue]]) -> str:
    """Ask both evaluators; AssertionError where they differ."""
    answer: list[bool] | int
    try:
        selector = compile_selector(text)
        source = PropertiesByName(selector.names)
        answer = []
        for message in messages:
            source.load(message)
            answer.append(selector.matches(source))
    except MQError as error:
        answer = error.reason
    slow = judge(text, messages)
    expected = slow if isinstance(slow, int) else [one is True for one in slow]
    if answer != expected:
        raise AssertionError(f"{answer}, and slowly {slow}: {text[:500]!r} on {messages}")
    return "refused" if isinstance(answer, int) else "compiled"


def compare_by_chance(chance: Chance) -> str:
    """One text by chance, and what its negation says, with messages by chance."""
    text = any_selector(chance)
    messages = [any_message(chance) for _ in range(3)]
    outcome = compare(text, messages)
    # Unknown and false look the same until they are negated.
    compare(f"NOT ({text})", messages)
    return outcome
