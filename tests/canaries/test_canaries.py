"""Goal (G29): the tests find what they are there to find. Method: each planted fault of table.toml,
in a copy of the source; one of the tests that it names must fail. A canary that survives means that
a harness is blind. `make test` tries the quick ones, `make canaries` (CANARIES=all) every one.
"""

import os
from pathlib import Path

import pytest

from tests.canaries.canary import ROOT, Canary, copy_tree, load, run_tests, survives

CANARIES = load()
ALL = os.environ.get("CANARIES") == "all"
TRIED = [canary for canary in CANARIES if canary.quick or ALL]


def test_canaries_then_at_least_thirty_and_each_applies() -> None:
    assert len(CANARIES) >= 30
    assert [one.name for one in CANARIES if not one.applies(ROOT)] == []


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("canary", TRIED, ids=lambda canary: canary.name)
def test_canary_when_planted_then_a_test_fails(canary: Canary, tmp_path: Path) -> None:
    complaint = survives(canary, tmp_path)
    assert complaint == "", f"{canary.name} ({canary.about}) survives {canary.tests}: {complaint}"


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("part", range(4) if ALL else [])
@pytest.mark.skipif(not ALL, reason="only with all of them: make canaries")
def test_copy_without_a_fault_then_the_same_tests_pass(part: int, tmp_path: Path) -> None:
    """Otherwise a canary would be found by a test that fails in every copy."""
    nodes = sorted({node for canary in CANARIES for node in canary.nodes()})[part::4]
    copy_tree(tmp_path / "sound")
    status, output = run_tests(tmp_path / "sound", nodes)
    assert status == 0, output
