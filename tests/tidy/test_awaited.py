"""Goal: on the compiled build, too, Python warns of a put or get that nobody awaits.

Method: a compiled coroutine is dropped without a word, so no class that ternmq.aio exports and that
has coroutines may lie in a module that is compiled.
"""

from __future__ import annotations

import inspect

import pytest

import ternmq.aio
from tools.layers import compiled_files, load

NAMES = [name for name in ternmq.aio.__all__ if inspect.isclass(getattr(ternmq.aio, name))]


def has_coroutines(one: type) -> bool:
    found = inspect.getmembers(one, inspect.iscoroutinefunction)
    return any(not name.startswith("_") for name, _ in found)


@pytest.mark.parametrize("name", NAMES)
def test_class_of_aio_when_it_has_coroutines_then_its_module_is_interpreted(name: str) -> None:
    compiled = {path.with_suffix("").parts[-3:] for path in compiled_files(load())}
    one = getattr(ternmq.aio, name)
    module = tuple(one.__module__.split("."))
    assert not (has_coroutines(one) and module in compiled), one.__module__


def test_classes_of_aio_when_counted_then_most_have_coroutines() -> None:
    assert sum(has_coroutines(getattr(ternmq.aio, name)) for name in NAMES) >= 6
