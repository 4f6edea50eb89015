"""Goal: an argument of a put or get that cannot be used is named, with its value and its limit, and
JSON that is none says which message it is; the same by every binding.

Method: each mistake is made on every face of the API; the text is compared.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

import ternmq
from ternmq.base import reasons
from ternmq.base.build import build_info
from tests.unit.api.faces import FACES, in_loop

on_every_face = pytest.mark.parametrize("api", FACES.values(), ids=FACES.keys())
interpreted = pytest.mark.skipif(
    build_info().compiled, reason="compiled code refuses types in words of its own"
)

SECOND = timedelta(seconds=1)
TYPES: list[tuple[dict[str, Any], str]] = [
    (
        {"delay": SECOND},
        "delay is not a number of seconds: datetime.timedelta(seconds=1), "
        "give delay=x.total_seconds()",
    ),
    (
        {"expiry": SECOND},
        "expiry cannot be of type timedelta: datetime.timedelta(seconds=1), "
        "give expiry=x.total_seconds()",
    ),
    (
        {"properties": [1]},
        "properties cannot be of type list: [1], give a dictionary of names and values",
    ),
    (
        {"descriptor": {"priority": 3}},
        "descriptor cannot be of type dict: {'priority': 3}, give a ternmq.Descriptor, such as "
        "Descriptor(priority=3)",
    ),
    ({"priority": 4.0}, "priority cannot be of type float: 4.0, give a number from 0 to 9"),
    ({"persistent": 1.0}, "persistent cannot be of type float: 1.0, give True or False"),
]
LIMITS: list[tuple[dict[str, Any], int, str]] = [
    (
        {"format": "application/json"},
        reasons.MQRC_MD_ERROR,
        "format has 16 bytes, 8 are the most: 'application/json'",
    ),
    (
        {"reply_to": "X" * 60},
        reasons.MQRC_MD_ERROR,
        f"reply_to has 60 bytes, 48 are the most: '{'X' * 60}'",
    ),
    (
        {"correl_id": b"x" * 25},
        reasons.MQRC_MD_ERROR,
        "correl_id has 25 bytes, 24 are the most",
    ),
    ({"msg_id": b"x" * 25}, reasons.MQRC_MD_ERROR, "msg_id has 25 bytes, 24 are the most"),
    (
        {"expiry": 1e12},
        reasons.MQRC_EXPIRY_ERROR,
        "expiry of 1000000000000.0 seconds; it is more than 0 and at most 214,748,364, or "
        "float('inf') for none",
    ),
    (
        {"delay": -1.0},
        reasons.MQRC_OPTIONS_ERROR,
        "delay of -1.0 seconds; a delay is not negative, nor more than 200 years",
    ),
]


async def raised_by(call: Any) -> Any:
    with pytest.raises(Exception) as caught:
        await call
    return caught.value


@interpreted
@on_every_face
@in_loop
async def test_put_when_an_argument_has_another_type_then_it_is_named(api: Any) -> None:
    async with api.memory() as qmgr:
        await qmgr.define_queue("A")
        async with qmgr.queue("A") as queue:
            await queue.put("x", priority=4)  # what equals it is not taken for it
            for given, text in TYPES:
                error = await raised_by(queue.put("x", **given))
                assert (type(error), str(error)) == (TypeError, text)
                error = await raised_by(qmgr.put("A", "x", **given))
                assert (type(error), str(error)) == (TypeError, text)
            error = await raised_by(queue.get(wait=SECOND))
            assert (type(error), str(error)) == (
                TypeError,
                "wait is not a number of seconds: datetime.timedelta(seconds=1), "
                "give wait=x.total_seconds()",
            )
        await qmgr.delete_queue("A", purge=True)  # no failed put has left it open


@on_every_face
@in_loop
async def test_put_when_an_argument_does_not_fit_then_its_name_and_limit(api: Any) -> None:
    async with api.memory() as qmgr:
        await qmgr.define_queue("A")
        async with qmgr.queue("A") as queue:
            for given, reason, text in LIMITS:
                for call in (queue.put("x", **given), qmgr.put("A", "x", **given)):
                    error = await raised_by(call)
                    assert (error.reason, error.detail) == (reason, text)
            error = await raised_by(queue.get(correl_id=b"x" * 25))
            assert error.detail == "correl_id has 25 bytes, 24 are the most"
        await qmgr.delete_queue("A", purge=True)  # no failed put has left it open


@interpreted
@on_every_face
@in_loop
async def test_put_when_persistent_is_a_number_then_only_those_of_true_and_false(api: Any) -> None:
    async with api.memory() as qmgr:
        await qmgr.define_queue("A")
        async with qmgr.queue("A") as queue:
            for number in (2, 3, -1):
                error = await raised_by(queue.put("x", persistent=number))
                assert (error.reason, error.detail) == (
                    reasons.MQRC_PERSISTENCE_ERROR,
                    f"persistent={number}: give True or False, or leave it out for the queue's "
                    "default",
                )
            for number in (0, 1):
                await queue.put("x", persistent=number)
                assert (await queue.get()).persistent is bool(number)


@on_every_face
@in_loop
async def test_json_when_it_is_none_then_what_is_wrong(api: Any) -> None:
    async with api.memory() as qmgr:
        await qmgr.define_queue("A")
        async with qmgr.queue("A") as queue:
            error = await raised_by(queue.put({"when": datetime.now(UTC)}))
            assert (type(error), str(error)) == (
                TypeError,
                "this dictionary cannot be a message as JSON: Object of type datetime is not JSON "
                "serializable, give json.dumps(data, default=str), or values that JSON has",
            )
            for data in ({"x": float("nan")}, [float("inf")]):
                error = await raised_by(qmgr.put("A", data))
                assert type(error) is ValueError
                assert "cannot be a message as JSON: Out of range float" in str(error)
            msg_id = await queue.put("hello")
            message = await queue.get()
            with pytest.raises(json.JSONDecodeError) as caught:
                message.json()
            assert str(caught.value) == (
                f"<Message 5 bytes b'hello' MsgId {msg_id.hex()}> is not JSON: Expecting value: "
                "line 1 column 1 (char 0)"
            )
            assert (caught.value.doc, caught.value.pos) == ("hello", 0)


@interpreted
def test_group_when_the_descriptor_is_a_dictionary_then_what_to_give() -> None:
    wrong: Any = {"priority": 3}
    with ternmq.memory("QM1") as qmgr:
        qmgr.define_queue("A")
        with qmgr.queue("A") as queue, pytest.raises(TypeError) as caught:
            queue.group().put("x", descriptor=wrong)
    assert str(caught.value) == TYPES[3][1]


def test_subscription_when_an_argument_has_another_type_then_it_is_named() -> None:
    with ternmq.memory("QM1") as qmgr:
        for given, text in (TYPES[1], TYPES[4]):
            with pytest.raises(TypeError) as caught:
                qmgr.subscribe("sport", **given)
            assert str(caught.value) == text
        with pytest.raises(ternmq.MQError) as refused:
            qmgr.subscribe("sport", expiry=1e12)
        assert refused.value.detail == LIMITS[4][2]
