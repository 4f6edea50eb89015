"""A pytest plug-in: a test that hangs ends, whatever the end of its time is met by.

pytest-timeout raises once, in the middle of whatever runs. asyncio swallows that when it comes in a
callback, and a `with` whose body it ended may then wait for an answer that never comes. Such a test
would hang for ever, and the run with it. So the alarm comes again and again until the test ends.
"""

import signal
from collections.abc import Generator
from typing import Any

import pytest


@pytest.hookimpl(wrapper=True, optionalhook=True)
def pytest_timeout_set_timer(item: pytest.Item, settings: Any) -> Generator[None, object, object]:
    done = yield
    left_s, _ = signal.getitimer(signal.ITIMER_REAL)
    if left_s > 0:
        signal.setitimer(signal.ITIMER_REAL, left_s, settings.timeout)
    return done
