"""Goal: IBM's own Java client works with our server as with IBM MQ, over TCP and TLS.

Method: one queue manager in a process of its own and one Java process that goes through all cases
(java/*.java); a test for each case reads its verdict. Skipped where Java or the jars are missing.
"""

import pytest

from tests.interop.cases import JavaCase, all_cases
from tests.interop.judge import Verdict

CASES = all_cases()
pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


@pytest.mark.parametrize("case", CASES, ids=[case.id for case in CASES])
def test_java_client(case: JavaCase, verdicts: dict[str, Verdict]) -> None:
    verdict = verdicts[case.id]
    if verdict.outcome == "skipped":
        pytest.skip(f"not shown: {verdict.text}")
    assert verdict.outcome == "passed", verdict.text


def test_queue_manager_then_no_fault_was_reported(verdicts: dict[str, Verdict]) -> None:
    assert verdicts["faults"].outcome == "passed", verdicts["faults"].text


def test_cases_then_there_are_as_many_as_are_claimed() -> None:
    assert len({case.id for case in CASES}) == len(CASES)
    assert len(CASES) >= 1290
