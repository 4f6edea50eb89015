"""Goal: the tables of constants and reasons are whole, and the generated files are what they make.

Method: run the generator in its checking mode and on tables with a mistake; read the tables back.
"""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from ternmq.base import command_reasons, constants, constants_all, errors, reasons
from ternmq.base.reason_lookup import all_reasons
from tools import generate_vocabulary
from tools.generate_vocabulary import BASE, ROOT, VocabularyError, read_constants, read_reasons

GOOD = 'MQRC_A = [1, "failed", "Other", "raise", "it failed"]'
EMPTY = "[reasons]\n{}\n[commands]\n{}\n[aliases]\n{}\n"


def test_generated_files_are_what_the_generator_writes() -> None:
    tool = Path("tools", "generate_vocabulary.py")
    done = subprocess.run(
        [sys.executable, str(tool), "--check"], cwd=ROOT, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (0, "")


def test_check_names_a_file_that_differs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(generate_vocabulary, "page", lambda reasons: "another page\n")
    assert generate_vocabulary.main(["--check"]) == 1
    assert capsys.readouterr().out == "differs: docs/reference/reasons.md\n"


@pytest.mark.parametrize(
    ("table", "complaint"),
    [
        (EMPTY.format(GOOD, GOOD.replace("MQRC_A", "MQRCCF_B"), ""), "has the number of MQRC_A"),
        (EMPTY.format(GOOD.replace("failed", "perhaps", 1), "", ""), "perhaps"),
        (EMPTY.format(GOOD.replace("Other", "Others"), "", ""), "Others"),
        (EMPTY.format(GOOD.replace("raise", "return"), "", ""), "surface"),
        (EMPTY.format(GOOD.replace("it failed", ""), "", ""), "text is missing"),
        (EMPTY.format(GOOD.replace("it failed", "it failed."), "", ""), "dot"),
        (EMPTY.format(GOOD, "", 'MQRC_C = "MQRC_B"'), "alias MQRC_C"),
    ],
)
def test_table_of_reasons_with_a_mistake_is_refused(table: str, complaint: str) -> None:
    with pytest.raises(VocabularyError, match=complaint):
        read_reasons(table)


def test_table_of_constants_with_a_name_twice_is_refused() -> None:
    with pytest.raises(VocabularyError, match="MQX_A stands in two sections"):
        read_constants("[core]\ngroups = []\n[A]\nMQX_A = 1\n[B]\nMQX_A = 1\n")


def test_group_for_the_core_that_is_empty_is_refused() -> None:
    with pytest.raises(VocabularyError, match="MQY, which is empty"):
        read_constants('[core]\ngroups = ["MQY"]\n[A]\nMQX_A = 1\n')


def test_every_reason_has_its_own_number_name_and_text() -> None:
    rows = all_reasons()
    assert len(rows) > 900
    for counted in (Counter(r.number for r in rows), Counter(r.name for r in rows)):
        assert [key for key, count in counted.items() if count > 1] == []
    assert [r.name for r in rows if len(r.text.split()) < 3] == []


def test_text_says_more_than_the_name() -> None:
    assert [
        r.name
        for r in all_reasons()
        if r.text.lower() == r.name.partition("_")[2].replace("_", " ").lower()
    ] == []


def test_texts_repeat_only_where_call_and_command_share_a_cause() -> None:
    calls = Counter(r.text for r in all_reasons() if r.family != "Command")
    assert [text for text, count in calls.items() if count > 1] == []


def test_families_of_generator_and_errors_are_the_same() -> None:
    assert sorted(generate_vocabulary.FAMILIES) == sorted(errors._FAMILIES)
    used = {r.family for r in all_reasons()}
    assert used == set(generate_vocabulary.FAMILIES)


def test_reason_constants_have_the_numbers_of_the_table() -> None:
    names = {**vars(reasons), **vars(command_reasons)}
    assert [r.name for r in all_reasons() if names.get(r.name) != r.number] == []
    assert names["MQRC_TRUNCATED"] == names["MQRC_CONVERTED_MSG_TOO_BIG"] == 2120


def test_core_constants_are_those_of_the_whole() -> None:
    core = {name: value for name, value in vars(constants).items() if name.startswith("MQ")}
    whole = vars(constants_all)
    assert len(core) > 1000
    assert [name for name, value in core.items() if whole[name] != value] == []
    assert [r.name for r in all_reasons() if whole[r.name] != r.number] == []


def test_constants_have_known_values() -> None:
    assert constants.MQOO_INPUT_SHARED == 2
    assert constants.MQGMO_BROWSE_NEXT == 0x20
    assert constants.MQMD_STRUC_ID == b"MD  "
    assert bytes(24) == constants.MQMI_NONE
    assert constants.MQFMT_STRING == "MQSTR"
    assert constants.MQGS_LAST_MSG_IN_GROUP == "L"
    assert constants.MQCCSI_INHERIT == -2
    assert constants_all.MQCMD_INQUIRE_Q == 13


def test_data_ships_inside_the_package() -> None:
    assert {path.name for path in (BASE / "data").iterdir()} >= {"constants.toml", "reasons.toml"}
