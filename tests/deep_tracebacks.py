"""A pytest plug-in: no failure ends the run because its traceback cannot be shown.

Python 3.11 before 3.11.4 (Debian 12 has 3.11.2) raises SystemError, "AST constructor recursion
depth mismatch", when it parses source after a deep recursion. pytest parses source to show the
lines of a traceback, does not expect that error and ends the whole run. Here such a traceback is
shown as Python itself would, which parses nothing.
"""

from collections.abc import Generator
from unittest import mock

import pytest


@pytest.hookimpl(wrapper=True, trylast=True)  # next to pytest: no other plug-in sees the error
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    try:
        return (yield)
    except (SystemError, RecursionError):
        with mock.patch.object(item.config.option, "tbstyle", "native"):
            return pytest.TestReport.from_item_and_call(item, call)
