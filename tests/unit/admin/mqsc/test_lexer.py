"""Goal: MQSC text is cut into commands and tokens as MQ does it.

Method: small texts with continuations, comments, quotes and semicolons.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ternmq.admin.mqsc.lexer import (
    QUOTED,
    WORD,
    CommandReader,
    SyntaxFault,
    Token,
    commands_of,
    tokens_of,
)
from ternmq.base.limits import COMMAND_CHARACTERS_MAX

pytestmark = pytest.mark.core


def texts(text: str) -> list[str]:
    return [source.text for source in commands_of(text) if source.is_command]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A\nB", ["A", "B"]),
        ("A +\n   B", ["A B"]),
        ("A+\n   B", ["AB"]),
        ("A -\n   B", ["A    B"]),
        ("A +  \n B", ["A B"]),
        ("A +\n* comment\n\n B", ["A B"]),
        ("* only a comment", []),
        (" * no comment", [" * no comment"]),
        ("A; B ;", ["A", " B "]),
        ("A(';')", ["A(';')"]),
        ("A('it''s; fine'); B", ["A('it''s; fine')", " B"]),
        ("A +", ["A "]),
        ("", []),
        (";", []),
    ],
)
def test_commands_when_split_then_as_mq_does(text: str, expected: list[str]) -> None:
    assert texts(text) == expected


def test_reader_when_a_command_goes_on_then_it_says_so() -> None:
    reader = CommandReader()
    assert reader.feed("DEFINE +") == []
    assert reader.continues
    sources = reader.feed("QLOCAL(A)")
    assert [source.lines for source in sources] == [["DEFINE +", "QLOCAL(A)"]]
    assert not reader.continues


def test_tokens_when_words_and_quotes_then_folded_or_kept() -> None:
    tokens = tokens_of("def ql( 'Lower' ),descr('it''s')")
    found = [(token.kind, token.value) for token in tokens if token.kind in (WORD, QUOTED)]
    assert found == [
        (WORD, "DEF"),
        (WORD, "QL"),
        (QUOTED, "Lower"),
        (WORD, "DESCR"),
        (QUOTED, "it's"),
    ]


@pytest.mark.parametrize(
    ("text", "segment"),
    [("A('b", "A('b"), ("A(b'c)", "A(b'"), ("A('b'c)", "A('b'c"), ("A('b''", "A('b''")],
)
def test_tokens_when_quotes_are_wrong_then_the_fault_is_shown(text: str, segment: str) -> None:
    with pytest.raises(SyntaxFault) as caught:
        tokens_of(text)
    assert caught.value.segment == segment


def test_tokens_when_too_long_then_refused() -> None:
    with pytest.raises(SyntaxFault, match=str(COMMAND_CHARACTERS_MAX)):
        tokens_of("A" * (COMMAND_CHARACTERS_MAX + 1))


@given(st.text(alphabet="AB '()+-;*\n", max_size=40))
def test_any_text_when_read_then_a_fault_or_tokens_that_cover_it(text: str) -> None:
    for source in commands_of(text):
        found = tokens_or_fault(source.text)
        if isinstance(found, SyntaxFault):
            assert source.text.startswith(found.segment)
        else:
            assert all(source.text[one.begin : one.end] == one.written for one in found)


def tokens_or_fault(text: str) -> list[Token] | SyntaxFault:
    try:
        return tokens_of(text)
    except SyntaxFault as fault:
        return fault
