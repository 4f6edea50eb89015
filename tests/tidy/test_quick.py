"""Goal: `make quick` chooses the tests that a change reaches, nearest first, and ends in time.

Method: a small tree of sources for the graph and the choice, and inner runs of pytest with the
plug-in that holds the limit.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from tools import quick, quick_limit
from tools.import_graph import Graph, module_of

TREE = {
    "src/ternmq/__init__.py": """
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    from ternmq.api.queue import Queue
    from ternmq.base.errors import MQError
_HOMES = {"Queue": "ternmq.api.queue", "MQError": "ternmq.base.errors"}
""",
    "src/ternmq/api/queue.py": "from ternmq.store.lane import Lane\n",
    "src/ternmq/base/errors.py": "",
    "src/ternmq/store/lane.py": "def Lane():\n    from ternmq.base.errors import MQError\n",
    "src/ternmq/cli/commands.py": "ROWS = ['control.crtmqm']\n",
    "src/ternmq/cli/control/crtmqm.py": "",
    "tests/conftest.py": "pytest_plugins = ['ternmq.api.queue']\n",
    "tests/unit/api/conftest.py": "import ternmq.cli.commands\n",
    "tests/unit/api/test_queue.py": "import ternmq\nternmq.Queue\n",
    "tests/unit/base/test_errors.py": "from ternmq import MQError\n",
    "tests/unit/cli/test_commands.py": "from ternmq.cli.commands import ROWS\n",
    "tests/unit/cli/test_pages.py": "PAGE = 'docs/commands.md'\n",
    "tests/unit/store/test_lane.py": "from ternmq.store import lane\n",
    "tests/unit/store/test_far.py": "from tests.unit.store import test_lane\n",
}


def graph_of(root: Path, tree: Mapping[str, str] = TREE) -> Graph:
    for path, text in tree.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return Graph(root, tree)


def chosen(root: Path, *changed: str) -> list[str]:
    return [path.rpartition("/")[2] for path in quick.choose(graph_of(root), changed).ways]


def test_choose_when_a_module_is_imported_through_others_then_the_nearest_come_first(
    tmp_path: Path,
) -> None:
    found = quick.choose(graph_of(tmp_path), ["src/ternmq/store/lane.py"])
    assert list(found.ways) == [
        "tests/unit/store/test_lane.py",
        "tests/unit/store/test_far.py",
        "tests/unit/api/test_queue.py",
    ]
    assert found.ways["tests/unit/api/test_queue.py"] == [
        "tests/unit/api/test_queue.py",
        "src/ternmq/api/queue.py",
        "src/ternmq/store/lane.py",
    ]


def test_choose_when_an_import_is_inside_a_function_then_it_counts(tmp_path: Path) -> None:
    assert "test_lane.py" in chosen(tmp_path, "src/ternmq/base/errors.py")


def test_choose_when_a_package_hands_names_on_then_only_users_of_the_name_run(
    tmp_path: Path,
) -> None:
    assert chosen(tmp_path, "src/ternmq/api/queue.py") == ["test_queue.py"]
    assert chosen(tmp_path, "src/ternmq/__init__.py")[:2] == ["test_queue.py", "test_errors.py"]


def test_choose_when_a_string_names_a_module_or_a_page_then_it_counts(tmp_path: Path) -> None:
    assert "test_commands.py" in chosen(tmp_path, "src/ternmq/cli/control/crtmqm.py")
    assert chosen(tmp_path, "docs/commands.md") == ["test_pages.py"]


def test_choose_when_a_conftest_imports_it_then_the_tests_of_its_folder_run(
    tmp_path: Path,
) -> None:
    assert chosen(tmp_path, "src/ternmq/cli/commands.py") == ["test_commands.py", "test_queue.py"]


@pytest.mark.parametrize("path", ["tests/conftest.py", "pyproject.toml"])
def test_choose_when_a_foundation_changes_then_every_test_is_reached(
    tmp_path: Path, path: str
) -> None:
    assert len(chosen(tmp_path, path)) == 6


def test_choose_when_more_is_reached_than_may_run_then_the_rest_is_named(tmp_path: Path) -> None:
    changed = ["src/ternmq/store/lane.py"]
    found = quick.choose(graph_of(tmp_path), changed, modules_max=1)
    assert list(found.ways) == ["tests/unit/store/test_lane.py"]
    assert len(found.left_out) == 2
    said = quick.explain("HEAD~1", changed, found)
    assert "3 of 6 test modules reach them by their imports" in said
    assert "that is more than 1: the nearest 1 run, 2 are left out (make test has them)" in said
    assert "  tests/unit/store/test_lane.py < ternmq.store.lane" in said


def test_command_when_tests_of_the_battery_are_chosen_then_it_runs_once_and_first() -> None:
    ways = {"tests/battery/test_units.py": ["x"], "tests/unit/a/test_b.py": ["y"]}
    words = quick.command(quick.Choice(ways, [], 2), 2)
    assert words[-2:] == ["tests/battery", "tests/unit/a/test_b.py"]


@pytest.mark.parametrize(
    ("nodeid", "place", "is_in"),
    [
        ("tests/battery/test_units.py::test_a[memory]", "memory", True),
        ("tests/battery/test_units.py::test_a[dual]", "dual", False),
        ("tests/battery/test_units.py::test_b", None, True),
        ("tests/battery/test_deep.py::test_a[memory]", "memory", False),
        ("tests/battery/test_waiting.py::test_a[dual]", "dual", True),
        ("tests/unit/store/test_deep.py::test_a", None, True),
    ],
)
def test_in_core_when_it_is_of_the_battery_then_only_two_places(
    monkeypatch: pytest.MonkeyPatch, nodeid: str, place: str | None, is_in: bool
) -> None:
    monkeypatch.setenv(quick_limit.WHOLE, "tests/battery/test_waiting.py")
    assert quick_limit.in_core(nodeid, place) is is_in


@pytest.mark.parametrize(("over", "ran"), [(False, 3), (True, 0)])
def test_run_when_the_time_is_over_then_no_test_starts_and_each_is_written_down(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, over: bool, ran: int
) -> None:
    left_out = pytester.path / "left-out.txt"
    left_out.touch()
    monkeypatch.setenv(quick_limit.UNTIL, str(time.time() + (-1 if over else 3600)))
    monkeypatch.setenv(quick_limit.LEFT_OUT, str(left_out))
    pytester.makepyfile(test_it="def test_a(): pass\ndef test_b(): pass\ndef test_c(): pass\n")
    result = pytester.inline_run("-p", "no:ternmq", plugins=[quick_limit])
    assert sum(result.countoutcomes()) == ran
    assert len(left_out.read_text().splitlines()) == 3 - ran


def test_module_of_when_a_file_is_no_module_then_none() -> None:
    assert module_of("src/ternmq/base/__init__.py") == "ternmq.base"
    assert module_of("docs/build.md") is None
