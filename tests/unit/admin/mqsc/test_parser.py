"""Goal: a command is understood with full words and checked values, or its fault is placed.

Method: commands in short and long forms; every row of the table in each abbreviation that is
unambiguous; random text.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ternmq.admin.command_table import ACTIONS, COMMANDS, NOUN_SYNONYMS, SYNONYMS, nouns_of
from ternmq.admin.mqsc.lexer import SyntaxFault
from ternmq.admin.mqsc.parser import fault_answer, full_word, keywords_of, parse
from ternmq.admin.mqsc.printer import answer_lines

pytestmark = pytest.mark.core


def fault_of(text: str) -> SyntaxFault | None:
    try:
        parse(text)
    except SyntaxFault as fault:
        return fault
    return None


def test_define_when_short_then_full_words() -> None:
    command = parse("def ql(a.b) maxdepth(5) descr('it''s') noshare replace")
    assert (command.action, command.noun, command.name) == ("DEFINE", "QLOCAL", "A.B")
    expected = {"MAXDEPTH": "5", "DESCR": "it's", "NOSHARE": "", "REPLACE": ""}
    assert command.given == expected


def test_display_when_filter_and_type_then_both_are_taken() -> None:
    command = parse("DIS QS(A*) TYPE(HANDLE) APPLTAG WHERE(PID EQ 4)")
    assert command.given == {"TYPE": "HANDLE"}
    assert command.wanted == ["APPLTAG"]
    where = command.where
    assert where is not None
    assert (where.keyword, where.operator, where.value) == ("PID", "EQ", "4")


def test_list_when_given_then_joined() -> None:
    assert parse("ALTER NAMELIST(N) NAMES(A,'b' C)").given == {"NAMES": "A,b,C"}


def test_synonym_of_a_keyword_when_given_then_its_own() -> None:
    assert parse("DEFINE QALIAS(A) TARGQ(B)").given == {"TARGET": "B"}


@pytest.mark.parametrize(("synonym", "word"), sorted(SYNONYMS.items()))
def test_documented_synonym_of_an_action(synonym: str, word: str) -> None:
    assert full_word(synonym, SYNONYMS, list(ACTIONS)) == word


@pytest.mark.parametrize(("synonym", "word"), sorted(NOUN_SYNONYMS.items()))
def test_documented_synonym_of_a_noun(synonym: str, word: str) -> None:
    actions = [action for action, noun in COMMANDS if noun == word]
    assert [full_word(synonym, NOUN_SYNONYMS, nouns_of(action)) for action in actions] == [
        word
    ] * len(actions)


def test_beginnings_when_they_fit_one_word_then_it_is_meant() -> None:
    for action in ACTIONS:
        for noun in nouns_of(action):
            for length in range(2, len(noun)):
                part = noun[:length]
                fitting = [one for one in nouns_of(action) if one.startswith(part)]
                found = full_word(part, NOUN_SYNONYMS, nouns_of(action))
                if part not in NOUN_SYNONYMS:
                    assert found == (noun if len(fitting) == 1 else "")


@pytest.mark.parametrize(
    ("text", "message", "segment"),
    [
        ("DEFINE QLOCAL(A) MAXDEPTH(X)", "AMQ8405I", "DEFINE QLOCAL(A) MAXDEPTH(X"),
        ("DEFINE QLOCAL(A) FOO(1)", "AMQ8405I", "DEFINE QLOCAL(A) FOO"),
        ("DEFINE CHANNEL(A)", "AMQ8421E", "DEFINE CHANNEL(A)"),
        ("DELETE QLOCAL(A) PURGE NOPURGE", "AMQ8411E", "DELETE QLOCAL(A) PURGE NOPURGE"),
        ("DIS QL(*) WHERE(A EQ 1)", "AMQ8569E", "DIS QL(*) WHERE(A"),
    ],
)
def test_fault_when_reported_then_with_its_message_and_place(
    text: str, message: str, segment: str
) -> None:
    with pytest.raises(SyntaxFault) as caught:
        parse(text)
    answer = fault_answer(caught.value)
    assert (answer.message, answer.inserts[1]) == (message, segment)
    assert not answer.ok


def test_every_keyword_of_display_when_asked_for_then_it_is_known() -> None:
    for row in COMMANDS.values():
        if row.action != "DISPLAY":
            continue
        name = "(A)" if row.named else ""
        needed = " ".join(f"{word.split('/')[0]}(QUEUE)" for word in row.required)
        for keyword in keywords_of(row):
            if keyword == "WHERE" or row.parameters.get(keyword, "") not in ("", "-", "?"):
                continue
            if f"{keyword}(" not in needed:
                parse(f"DISPLAY {row.noun}{name} {needed} {keyword}")


@given(st.text(alphabet="DISPLAYQU(A)*' ,;WHERE", max_size=60))
def test_any_text_when_parsed_then_a_command_or_a_fault(text: str) -> None:
    fault = fault_of(text)
    if fault is not None:
        assert text.startswith(fault.segment)
        assert fault.why


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("DEFNE QLOCAL(A)", "there is no command DEFNE. Did you mean DEFINE?"),
        ("DISPLAY QLOCL(A)", "DISPLAY does not take QLOCL. Did you mean QLOCAL?"),
        (
            "DEF QL(A) MAXDEPHT(5)",
            "DEFINE QLOCAL has no parameter MAXDEPHT. Did you mean MAXDEPTH?",
        ),
        ("DIS QL(A) CURDEPHT", "QLOCAL has no attribute CURDEPHT. Did you mean CURDEPTH?"),
        ("DIS QS(A) OLDAG", "QSTATUS has no attribute OLDAG. Did you mean OLDAGE?"),
        ("DEF QL(A) COLOUR(RED)", "DEFINE QLOCAL has no parameter COLOUR"),
    ],
)
def test_word_when_mistyped_then_the_one_that_is_meant(text: str, why: str) -> None:
    with pytest.raises(SyntaxFault) as caught:
        parse(text)
    assert caught.value.why == why
    (line, *_) = answer_lines(fault_answer(caught.value))[2:]
    assert line.strip()[-1] in "?."
    assert not line.endswith("?.")
