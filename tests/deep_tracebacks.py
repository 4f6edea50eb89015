"""A pytest plug-in: no failure ends the run because its traceback cannot be shown.

Python 3.11 before 3.11.4 (Debian 12 has 3.11.2) raises SystemError, "AST constructor recursion
depth mismatch", when it parses source after a deep recursion. pytest parses source to show the
lines of a traceback, does not expect that error and ends the whole run. Here such a traceback is
shown as the places of its last calls, for which nothing is parsed.
"""

import traceback
from collections.abc import Generator
from unittest import mock

import pytest

FRAMES = 60  # the last ones; a deep recursion has a thousand


def places_of(failure: pytest.ExceptionInfo[BaseException], style: object = None) -> str:
    """The calls that led to a failure, and the failure."""
    lines = [
        f"{frame.f_code.co_filename}:{number}: in {frame.f_code.co_name}"
        for frame, number in traceback.walk_tb(failure.tb)
    ]
    error = failure.value
    return "\n".join([*lines[-FRAMES:], f"{type(error).__name__}: {error}"])


@pytest.hookimpl(wrapper=True, trylast=True)  # next to pytest: no other plug-in sees the error
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    try:
        return (yield)
    except (SystemError, RecursionError):
        with (
            mock.patch.object(item, "repr_failure", places_of),
            mock.patch.object(item, "_repr_failure_py", places_of),
        ):
            return pytest.TestReport.from_item_and_call(item, call)
