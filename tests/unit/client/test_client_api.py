"""Goal: a connection to another process has the API of the embedded one, method by method.

Method: compare names and signatures of the classes, blocking and asyncio.
"""

from __future__ import annotations

import inspect
from typing import Any

import pytest

import ternmq
import ternmq.aio

PAIRS = [
    (ternmq.Connection, ternmq.ClientConnection),
    (ternmq.Queue, ternmq.ClientQueue),
    (ternmq.aio.Connection, ternmq.aio.ClientConnection),
    (ternmq.aio.Queue, ternmq.aio.ClientQueue),
]
IDS = ["blocking connection", "blocking queue", "asyncio connection", "asyncio queue"]
# Inside: what a queue lends to its own iterators.
INSIDE = {"lend", "give_back"}
# What the embedded QueueManager has and a served one's connection, too.
LOOKED_AFTER = {
    "checkpoint",
    "delete_log_extents",
    "log_extents",
    "log_status",
    "record_image",
    "recreate",
    "report",
}


def methods(kind: type[Any]) -> dict[str, Any]:
    """Public methods and properties, and those that make it a context manager or an iterator."""
    special = {"__enter__", "__exit__", "__aenter__", "__aexit__", "__iter__", "__aiter__"}
    return {
        name: value
        for base in reversed(kind.__mro__[:-1])
        for name, value in vars(base).items()
        if (not name.startswith("_") or name in special) and name not in INSIDE
    }


def shape(value: Any) -> tuple[str, ...]:
    """Kind, and parameters with their defaults and annotations."""
    if isinstance(value, property):
        return ("property",)
    signature = inspect.signature(value)
    # One may also be a function that chooses among coroutines and gives the chosen one.
    is_awaited = str(signature.return_annotation).startswith("Coroutine[")
    kind = "async" if is_awaited or inspect.iscoroutinefunction(value) else "plain"
    parameters = signature.parameters.values()
    return (kind, *(str(parameter) for parameter in parameters))


@pytest.mark.parametrize(("embedded", "served"), PAIRS, ids=IDS)
def test_methods_when_compared_then_the_same(embedded: type[Any], served: type[Any]) -> None:
    expected = {name: shape(value) for name, value in methods(embedded).items()}
    found = {name: shape(value) for name, value in methods(served).items()}
    assert {name: found.get(name) for name in expected} == expected


@pytest.mark.parametrize(
    ("embedded", "served"),
    [
        (ternmq.QueueManager, ternmq.ClientConnection),
        (ternmq.aio.QueueManager, ternmq.aio.ClientConnection),
    ],
    ids=["blocking", "asyncio"],
)
def test_looking_after_when_compared_then_the_same_parameters(
    embedded: type[Any], served: type[Any]
) -> None:
    for name in LOOKED_AFTER:
        ours, theirs = vars(served)[name], vars(embedded)[name]
        if isinstance(ours, property) or isinstance(theirs, property):
            continue  # what is a property there may have to be awaited here
        assert shape(ours)[1:] == shape(theirs)[1:], name


def test_names_of_the_package_when_asked_for_then_there() -> None:
    assert [name for name in ternmq.__all__ if not hasattr(ternmq, name)] == []
    assert [name for name in ternmq.aio.__all__ if not hasattr(ternmq.aio, name)] == []
    assert set(ternmq.__all__) <= set(dir(ternmq))
    with pytest.raises(AttributeError, match="nothing_of_the_kind"):
        _ = ternmq.nothing_of_the_kind  # type: ignore[attr-defined]
