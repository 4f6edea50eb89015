"""Goal: whatever is sent as a command gets answers, never an exception.

Method: commands of the transcripts, cut, doubled and mixed; commands made from the tables with
values that do not belong there. Seeded, so that a failure comes back.
"""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

import ternmq
from ternmq.admin.command_table import COMMANDS
from ternmq.admin.mqsc.lexer import commands_of
from ternmq.admin.mqsc.parser import keywords_of
from ternmq.admin.mqsc.printer import answer_json, answer_lines
from ternmq.values.command import OPERATORS, Command, Filter

pytestmark = pytest.mark.core
TESTS = Path(__file__).parent.parent.parent
SETUP = (Path(__file__).parent / "one_of_everything.mqsc").read_text(encoding="utf-8")
CASES = sorted((TESTS / "transcripts" / "cases").glob("*.mqsc"))
LINES = [
    line
    for text in [SETUP, *(path.read_text(encoding="utf-8") for path in CASES)]
    for line in text.splitlines()
    if line and not line.startswith("*")
]
WORDS = [word for line in LINES for word in line.replace("(", " ( ").replace(")", " ) ").split()]
PIECES = ["'", "(", ")", " ", "*", ",", ";", "\0", "é", "-1", "9" * 30, "''", "+"]
VALUES = ["", "A", "*", "1", "-1", "9" * 20, "YES", "QLOCAL", "ALL", "x y", "'", "\0", "é" * 50,
          "SVRCONN", "IDPWOS", "ADDRESSMAP", "A,B", "TCP", "HANDLE"]  # fmt: skip
COUNT = 1500


@pytest.fixture
def qmgr() -> Iterator[ternmq.QueueManager]:
    with ternmq.memory("QM1") as manager:
        manager.mqsc(SETUP)
        yield manager


def mutated(chance: random.Random) -> str:
    line = chance.choice(LINES)
    for _ in range(chance.randint(0, 3)):
        place = chance.randrange(len(line) + 1)
        kind = chance.randrange(4)
        if kind == 0:
            line = line[:place] + chance.choice(PIECES) + line[place:]
        elif kind == 1:
            line = line[:place] + line[place + chance.randint(1, 4) :]
        elif kind == 2:
            line += f" {chance.choice(WORDS)}{chance.choice(['', '(A)', '()', '(1)'])}"
        else:
            words = [*line.split(), "X"]
            words[chance.randrange(len(words))] = chance.choice(WORDS)
            line = " ".join(words)
    return line


def made_up(chance: random.Random) -> Command:
    row = chance.choice(list(COMMANDS.values()))
    known = [*keywords_of(row), "NOSUCH"]
    command = Command(row.action, row.noun, chance.choice(["A", "*", "N", "", "A*", "x y"]))
    needed = [word.split("/")[0] for word in row.required if chance.random() < 0.8]
    for keyword in [*needed, *chance.choices(known, k=chance.randint(0, 3))]:
        command.given[keyword] = chance.choice(VALUES)
    command.wanted = chance.choices(known, k=chance.randint(0, 2))
    if chance.random() < 0.2:
        operator, value = chance.choice(OPERATORS), chance.choice(VALUES)
        command.where = Filter(chance.choice(known), operator, value)
    return command


@pytest.mark.parametrize("seed", [1, 2])
def test_text_when_odd_then_answered(seed: int, qmgr: ternmq.QueueManager) -> None:
    chance = random.Random(seed)
    for _ in range(COUNT):
        line = mutated(chance)
        answers = qmgr.mqsc(line)
        assert bool(answers) == any(one.is_command for one in commands_of(line)), line
        assert all(answer_lines(answer) and answer_json(answer) for answer in answers)


@pytest.mark.parametrize("seed", [1, 2])
def test_command_when_odd_then_answered(seed: int, qmgr: ternmq.QueueManager) -> None:
    chance = random.Random(seed)
    for _ in range(COUNT):
        answers = qmgr.command(made_up(chance))
        assert answers
        assert all(answer_lines(answer) and answer_json(answer) for answer in answers)
