"""Goal: the table of diagnostic messages is whole, and its texts take their inserts.

Method: run the generator in its checking mode and on tables with a mistake; read the table back.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from ternmq.base.message_table import (
    SEVERITIES,
    all_messages,
    fill,
    find_message,
    message_line,
    message_row,
    message_text,
)
from tools.generate_messages import ROOT, MessageTableError, read_messages

# Those that everyday work and scripts rely on.
EVERYDAY = (
    "5026I 5037I 5041I 5051I 5052I 5975I 6206I 6287I 7017S 7018E 8001I 8002I 8003I 8004I "
    "8005I 8006I 8007I 8008I 8010I 8022I 8041S 8048I 8101S 8118E 8147E 8149S 8276I 8405I "
    "8408I 8409I 8414I 8417I 8420I 8450I 8521I 8630I 8631I 8705I 8864I 8878I 9209E 9660E"
)


def test_generated_files_are_what_the_generator_writes() -> None:
    done = subprocess.run(
        [sys.executable, str(Path("tools", "generate_messages.py")), "--check"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize(
    ("rows", "complaint"),
    [
        (
            'AMQ8001I = ["a", "", ""]\nAMQ8001E = ["b", "", ""]',
            "AMQ8001E has the number of AMQ8001I",
        ),
        ('AMQ801I = ["a", "", ""]', "AMQ801I is no message id"),
        ('AMQ8001X = ["a", "", ""]', "AMQ8001X is no message id"),
        ('AMQ8001I = ["", "", ""]', "AMQ8001I has no text"),
        ('AMQ8001I = ["a %6", "", ""]', "AMQ8001I: there is no insert %6"),
        ('AMQ8001I = ["a ", "", ""]', "AMQ8001I: 'a ' cannot stand in the table"),
    ],
)
def test_a_table_with_a_mistake_is_refused(rows: str, complaint: str) -> None:
    with pytest.raises(MessageTableError, match=complaint):
        read_messages(f"[messages]\n{rows}\n")


def test_every_row_says_what_happened_and_what_to_do() -> None:
    rows = all_messages()
    assert len(rows) > 350
    assert [row.message_id for row in rows] == sorted(row.message_id for row in rows)
    for row in rows:
        assert row.severity in SEVERITIES
        assert row.text
        assert row.explanation
        assert row.action


# An action that sends the reader to a place without saying what to look for there.
CIRCULAR = re.compile(
    r"^See (?:the )?(?:error logs?|messages?|reason)\b(?! \w+ in)|^See to\b|^See AMQ"
    r"|See the error log(?: of the other end| there)?\.|See the messages? before this one"
)


def test_every_fault_has_words_of_its_own_for_the_cause_and_the_action() -> None:
    faults = [row for row in all_messages() if row.severity in "EWST"]
    assert len(faults) > 250
    assert [row.message_id for row in faults if row.explanation == row.text] == []
    assert [row.message_id for row in faults if row.action in ("", "None.")] == []


def test_no_action_only_sends_the_reader_elsewhere() -> None:
    assert CIRCULAR.search("See the error log.")
    assert CIRCULAR.search("See the messages before this one, and retry.")
    found = [row.message_id for row in all_messages() if CIRCULAR.search(row.action)]
    assert found == []


@pytest.mark.parametrize("number", EVERYDAY.split())
def test_messages_of_everyday_work_have_their_severity(number: str) -> None:
    assert message_row(f"AMQ{number}").message_id == f"AMQ{number}"


def test_texts_take_their_inserts_in_order() -> None:
    assert message_text("AMQ8048I", (95, 0, 0)) == (
        "Default objects statistics : 95 created. 0 replaced. 0 failed."
    )
    assert message_line("AMQ8004I", ("QM1",)) == "AMQ8004I: TernMQ queue manager 'QM1' ended."


def test_an_insert_that_was_not_given_is_left_out_and_percent_stays() -> None:
    assert fill("%1 of %2, 5 %% and %3.", ("a",)) == "a of , 5 % and ."


def test_an_insert_may_look_like_one_itself() -> None:
    assert fill("%1 %2", ("%2", "x")) == "%2 x"


@pytest.mark.parametrize("asked", ["AMQ8409", "amq8409", "8409", "AMQ8409I", "AMQ8409E"])
def test_a_row_is_found_with_and_without_its_letter(asked: str) -> None:
    row = find_message(asked)
    assert row is not None
    assert row.message_id == "AMQ8409I"


def test_an_id_nobody_defined_says_so() -> None:
    assert find_message("AMQ4999") is None
    assert "AMQ4999" in message_text("AMQ4999E")


def test_every_id_in_the_source_is_in_the_table() -> None:
    """A message that code reports and the table lacks would have no text."""
    known = {row.message_id for row in all_messages()}
    strange: list[str] = []
    for path in sorted((ROOT / "src").rglob("*.py")):
        if path.name == "amq_table.py":
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            strange += [
                f"{path.relative_to(ROOT)}:{number}: {found}"
                for found in re.findall(r"\bAMQ[3-9][0-9]{3}[IWEST]\b", line)
                if found not in known
            ]
    assert strange == []


def test_messages_when_source_names_them_then_the_table_has_them() -> None:
    named: set[str] = set()
    for source in Path(ROOT, "src", "ternmq").rglob("*.py"):
        named.update(re.findall(r'"(AMQ\d{4}[IWES])"', source.read_text(encoding="utf-8")))
    assert [one for one in sorted(named) if find_message(one) is None] == []
