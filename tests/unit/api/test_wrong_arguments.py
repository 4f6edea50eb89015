"""Goal: an argument that no queue manager takes is refused alike by every binding, and costs nobody
the connection.

Method: small programs on every face of the API.
"""

from __future__ import annotations

from typing import Any

import pytest

import ternmq
from ternmq.base import reasons
from ternmq.base.errors import RemoteProtocolError
from ternmq.values.calls import administration
from ternmq.values.command import Command
from ternmq.values.command_json import command_from, command_value
from tests.unit.api.faces import FACES, in_loop

pytestmark = pytest.mark.core
on_every_face = pytest.mark.parametrize("api", FACES.values(), ids=FACES.keys())


@on_every_face
@in_loop
async def test_names_of_queues_when_they_are_not_text_then_type_error(api: Any) -> None:
    async with api.memory() as qmgr:
        for wrong in (None, 5):
            for method in ("define_queue", "alter_queue", "clear_queue", "delete_queue"):
                with pytest.raises(TypeError):
                    await getattr(qmgr, method)(wrong)
            with pytest.raises(TypeError):
                await qmgr.attributes(wrong)
        assert not {"None", "5"} & set(await qmgr.queue_names())


@on_every_face
@in_loop
async def test_generic_name_when_one_queue_is_meant_then_unknown(api: Any) -> None:
    async with api.memory() as qmgr:
        await qmgr.define_queue("A")
        await qmgr.define_alias("AB", "A")
        for generic in ("*", "A*", "AB*"):
            with pytest.raises(ternmq.MQError) as refused:
                await qmgr.attributes(generic)
            assert refused.value.reason == reasons.MQRC_UNKNOWN_OBJECT_NAME
            for method, given in (("alter_queue", {"max_depth": 3}), ("delete_queue", {})):
                with pytest.raises(ternmq.MQError) as refused:
                    await getattr(qmgr, method)(generic, **given)
                assert refused.value.reason == reasons.MQRC_UNKNOWN_OBJECT_NAME
        assert {"A", "AB"} <= set(await qmgr.queue_names())


@on_every_face
@in_loop
async def test_position_of_smf_records_when_it_cannot_be_one_then_value_error(api: Any) -> None:
    async with api.memory() as qmgr:
        with pytest.raises(ValueError, match="-5"):
            await qmgr.smf_read(-5)
        assert qmgr.connected


def test_arguments_when_they_do_not_fit_their_kind_then_they_are_not_sent() -> None:
    def send() -> None:
        call = administration.RecordImage("A")
        call.object_name = None  # type: ignore[assignment]  # compiled, this raises it
        call.arguments()

    with pytest.raises(TypeError, match="None"):
        send()


def test_command_when_a_part_of_it_is_not_text_then_it_is_refused() -> None:
    for part in ("action", "noun", "name", "text"):
        with pytest.raises(RemoteProtocolError):
            command_from({**command_value(Command("DEFINE", "QLOCAL", "A")), part: None})
