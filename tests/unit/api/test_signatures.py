"""Goal: the blocking and the asyncio API are one: the same methods with the same parameters, and
the same for a queue manager in this process and elsewhere.

Method: compare names and signatures of the classes, one by one.
"""

from __future__ import annotations

import inspect
from typing import Any

import pytest

import ternmq
import ternmq.aio

PAIRS = {
    "connection": (ternmq.Connection, ternmq.aio.Connection),
    "queue": (ternmq.Queue, ternmq.aio.Queue),
    "list": (ternmq.DistributionList, ternmq.aio.DistributionList),
    "queue manager": (ternmq.QueueManager, ternmq.aio.QueueManager),
    "stream": (ternmq.QueueStream, ternmq.aio.QueueStream),
    "cursor": (ternmq.QueueCursor, ternmq.aio.QueueCursor),
    "consumer": (ternmq.Consumer, ternmq.aio.Consumer),
    "topic": (ternmq.Topic, ternmq.aio.Topic),
    "subscription": (ternmq.Subscription, ternmq.aio.Subscription),
    "pool": (ternmq.Pool, ternmq.aio.Pool),
}
SPECIAL = {"__enter__", "__exit__", "__iter__"}
# The asyncio queue has these for its own iterators and its fast path.
INSIDE = {"ahead_get", "get_in_unit", "put_with"}
# Blocking it is a property; a task has to await it.
AWAITED_PROPERTIES = {("queue", "depth"), ("subscription", "depth")}


def methods(kind: type[Any]) -> dict[str, Any]:
    """Public methods and properties, and those that make it a context manager or an iterator."""
    found: dict[str, Any] = {}
    for base in reversed(kind.__mro__[:-1]):
        for name, value in vars(base).items():
            plain = name.replace("__a", "__") if name.startswith("__a") else name
            if (not name.startswith("_") or plain in SPECIAL) and name not in INSIDE:
                if callable(value) or isinstance(value, property):
                    found[plain] = value
    return found


def parameters(value: Any) -> list[tuple[str, Any, Any]]:
    """Names, kinds and defaults."""
    signature = inspect.signature(value)
    return [(one.name, one.kind, one.default) for one in signature.parameters.values()]


@pytest.mark.parametrize("what", PAIRS)
def test_blocking_and_asyncio_have_the_same_methods(what: str) -> None:
    blocking, asynchronous = PAIRS[what]
    assert sorted(methods(blocking)) == sorted(methods(asynchronous))


@pytest.mark.parametrize("what", PAIRS)
def test_each_method_takes_the_same_parameters(what: str) -> None:
    blocking, asynchronous = (methods(kind) for kind in PAIRS[what])
    for name, ours in blocking.items():
        theirs = asynchronous[name]
        if (what, name) in AWAITED_PROPERTIES:
            assert isinstance(ours, property)
            assert inspect.iscoroutinefunction(theirs)
        elif isinstance(ours, property):
            assert isinstance(theirs, property), name
        else:
            assert parameters(ours) == parameters(theirs), name


def test_connection_put_takes_what_queue_put_takes() -> None:
    of_queue = inspect.signature(ternmq.Queue.put).parameters
    of_connection = inspect.signature(ternmq.Connection.put).parameters
    assert set(of_queue) <= set(of_connection)
    assert {name: of_connection[name].default for name in of_queue} == {
        name: one.default for name, one in of_queue.items()
    }


def test_list_put_takes_what_queue_put_takes_but_a_delay() -> None:
    of_queue = dict(inspect.signature(ternmq.Queue.put).parameters)
    del of_queue["delay"]  # MQ's call for delays puts to one queue
    for put in (ternmq.DistributionList.put, ternmq.Connection.put_to):
        of_list = inspect.signature(put).parameters
        assert {name: of_list[name].default for name in of_queue} == {
            name: one.default for name, one in of_queue.items()
        }


def test_publish_takes_what_queue_put_takes_but_a_delay() -> None:
    of_queue = dict(inspect.signature(ternmq.Queue.put).parameters)
    del of_queue["delay"]  # MQ's call for delays puts to one queue
    of_topic = inspect.signature(ternmq.Topic.put).parameters
    for put in (of_topic, inspect.signature(ternmq.Connection.publish).parameters):
        for name, one in {**of_queue, **of_topic}.items():
            assert put[name].default == one.default, name


def test_subscription_gets_take_what_those_of_a_queue_take() -> None:
    for name in ("get", "try_get", "browse", "consume", "on_message"):
        of_queue = inspect.signature(getattr(ternmq.Queue, name))
        assert (
            of_queue.parameters == inspect.signature(getattr(ternmq.Subscription, name)).parameters
        )


def test_names_of_the_package_when_asked_for_then_there() -> None:
    assert [name for name in ternmq.__all__ if not hasattr(ternmq, name)] == []
    assert [name for name in ternmq.aio.__all__ if not hasattr(ternmq.aio, name)] == []
    assert set(ternmq.__all__) <= set(dir(ternmq))
    with pytest.raises(AttributeError, match="nothing_of_the_kind"):
        _ = ternmq.nothing_of_the_kind  # type: ignore[attr-defined]
