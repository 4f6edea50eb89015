"""Goal: commands write "1 message" and "2 messages", never "1 messages".

Method: a walk over the texts of the commands. A value that is followed by a noun in the plural must
come from `count_text`, unless it can never be 1.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from ternmq.base.words import count_text
from tests.tidy.sources import Source, package_sources

NOUNS = (
    "anomalies|bytes|channels|commands|connections|files|figures|findings|folders|groups|handles"
    "|intervals|lines|messages|objects|points|processors|queues|records|rows|transactions|units"
)
PLURAL = re.compile(rf"^ (?:\w+ )?(?:{NOUNS})\b")
# Texts that IBM's samples and messages have, which programs read.
AS_IN_MQ = {
    "control.strmqm": {" log records accessed on queue manager '"},
    "samples.amqsinq": {" messages, used by "},
}


def is_constant(value: ast.FormattedValue) -> bool:
    """A limit by its name, which is not 1."""
    return isinstance(value.value, ast.Name) and value.value.id.isupper()


def wrong_counts(source: Source) -> Iterator[str]:
    allowed = AS_IN_MQ.get(".".join(source.place[1:]), set())
    for node in ast.walk(source.tree):
        if not isinstance(node, ast.JoinedStr):
            continue
        for value, text in zip(node.values, node.values[1:], strict=False):
            if not isinstance(value, ast.FormattedValue) or is_constant(value):
                continue
            if not isinstance(text, ast.Constant) or not isinstance(text.value, str):
                continue
            if PLURAL.match(text.value) and not text.value.startswith(tuple(allowed) or ("\0",)):
                yield f"{source.name}:{node.lineno} {ast.unparse(value)}{text.value}"


@pytest.mark.timeout(120)  # it parses every file of the package
def test_texts_of_commands_when_they_count_then_the_noun_goes_with_the_number() -> None:
    found = [
        place
        for source in package_sources()
        if source.place[0] == "cli"
        for place in wrong_counts(source)
    ]
    assert found == []


@pytest.mark.parametrize(
    ("count", "noun", "text"),
    [
        (0, "message", "0 messages"),
        (1, "message", "1 message"),
        (2, "message", "2 messages"),
        (1, "anomaly", "1 anomaly"),
        (3, "anomaly", "3 anomalies"),
        (2, "log record", "2 log records"),
    ],
)
def test_count_then_its_noun_in_the_right_form(count: int, noun: str, text: str) -> None:
    assert count_text(count, noun) == text
