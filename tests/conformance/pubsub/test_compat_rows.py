"""Goal: rows of topics and subscriptions hold for programs of pymqi and ibmmq.
Method: the tests of those rows once more, on a connection whose calls go through the structures of
these libraries (see `compat_connection`).
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import pytest

from tests.conformance.pubsub import (
    test_a_strings,
    test_b_open,
    test_b_publishing,
    test_c_copies,
    test_c_existing,
    test_c_options,
    test_d_handles,
)
from tests.conformance.pubsub.bed import Bed

MODULES = (
    *(test_a_strings, test_b_open, test_b_publishing),
    *(test_c_copies, test_c_existing, test_c_options, test_d_handles),
)


@pytest.fixture
def bed() -> Iterator[Bed]:
    made = Bed("compat")
    yield made
    made.close()


for module in MODULES:
    for name, test in vars(module).items():
        if name.startswith("test_") and "bed" in inspect.signature(test).parameters:
            globals()[name] = test
