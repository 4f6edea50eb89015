"""Goal: a test that swallows the end of its time ends all the same, and the other tests run.

Method: an inner run of pytest, with a test that waits on after the first alarm.
"""

import pytest

from tools.layers import ROOT

HANGS = """
import asyncio
import pytest
import time

def test_with():
    try:
        time.sleep(60)
    finally:
        time.sleep(60)  # as one that waits for a last answer

def test_loop():
    async def hangs():
        loop = asyncio.get_running_loop()
        loop.call_soon(time.sleep, 1.5)  # the first alarm comes here, and asyncio keeps it
        await loop.create_future()

    asyncio.run(hangs())

def test_next():
    pass
"""


@pytest.mark.timeout(120)
def test_run_when_tests_swallow_their_timeout_then_it_goes_on(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    pytester.makepyfile(HANGS)
    result = pytester.runpytest_subprocess(
        "-p", "tests.lasting_timeout", "--timeout", "1", timeout=110
    )
    result.assert_outcomes(failed=2, passed=1)
