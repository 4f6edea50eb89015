"""Goal: properties of a put are a part of their own: for MAXMSGL, MAXPROPL, memory, log, restart,
copies and queues of other queue managers.

Method: MQRFH2 headers and forms with properties on embedded and simulated queue managers.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import ternmq
from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.base.reasons import MQRC_MSG_TOO_BIG_FOR_Q, MQRC_PROPERTIES_TOO_BIG
from ternmq.codec.headers.mqxqh import TransmissionHeader
from ternmq.codec.property_area import find_property
from ternmq.inspect.dump import LogDump, Range
from ternmq.inspect.folder import Folder
from ternmq.inspect.salvage import salvage
from ternmq.testing import Simulation
from tests.battery.places import until
from tests.unit.codec.test_properties import LITTLE, SOUND, header
from tests.unit.inspect.folders import crashed, small

pytestmark = pytest.mark.core

FORCE = mq.MQGMO_PROPERTIES_FORCE_MQRFH2 | mq.MQGMO_NO_SYNCPOINT
NO = mq.MQGMO_NO_PROPERTIES | mq.MQGMO_NO_SYNCPOINT
KEPT = mq.MQPER_PERSISTENT
MD = ternmq.Descriptor(format="MQHRF2", encoding=LITTLE, ccsid=1208)
PERSISTENT = ternmq.Descriptor(format="MQHRF2", encoding=LITTLE, ccsid=1208, persistence=KEPT)
OWN = b"<mine><x>0123456789</x></mine>  "


def entry_on(qmgr: Any, name: str) -> Any:
    kernel = qmgr.started.shell.engine.kernel
    definition = kernel.catalog.definitions[name]
    queue = kernel.catalog.queues[definition.object_id]
    return queue.lanes[queue.top_lane()].front.head


def test_put_when_only_properties_are_too_long_then_maxmsgl_takes_it() -> None:
    """P36 and P37."""
    with ternmq.memory("QM1") as qmgr, qmgr.queue(_define(qmgr, "Q", 100)) as queue:
        head = header(b"<usr><a>123456789</a></usr> ")
        assert len(head) == 68
        queue.put(head + bytes(60), descriptor=MD)
        with pytest.raises(MQError) as caught:
            queue.put(header(SOUND, OWN) + bytes(60), descriptor=MD)
        assert caught.value.reason == MQRC_MSG_TOO_BIG_FOR_Q
        with pytest.raises(MQError) as caught:
            queue.get(options=FORCE, max_length=100)
        assert caught.value.result.length == 128
        message = queue.get(options=NO, max_length=60)
        assert message.length == 60


def _define(qmgr: Any, name: str, length: int) -> str:
    qmgr.define_queue(name, max_message_length=length)
    return name


def test_put_when_properties_are_longer_than_maxpropl_then_it_is_refused() -> None:
    with ternmq.memory("QM1") as qmgr:
        qmgr.define_queue("Q")
        assert qmgr.mqsc("ALTER QMGR MAXPROPL(10)")[0].ok
        with qmgr.queue("Q") as queue:
            queue.put(header(b"<usr><a>123456789</a></usr>") + b"x", descriptor=MD)
            with pytest.raises(MQError) as caught:
                queue.put(header(b"<usr><a>1234567890</a></usr>") + b"x", descriptor=MD)
            assert caught.value.reason == MQRC_PROPERTIES_TOO_BIG
            assert "11 bytes of properties, MAXPROPL(10)" in str(caught.value)
            with pytest.raises(MQError) as caught:
                qmgr.put("Q", header(b"<usr><a>1234567890</a></usr>") + b"x", descriptor=MD)
            assert caught.value.reason == MQRC_PROPERTIES_TOO_BIG
            assert queue.depth == 1


def test_message_when_it_has_properties_then_memory_counts_both_parts() -> None:
    with ternmq.memory("QM1") as qmgr:
        qmgr.define_queue("Q")
        with qmgr.queue("Q") as queue:
            queue.put(header(SOUND) + b"payload", descriptor=MD)
            entry = entry_on(qmgr, "Q")
            assert entry.data == b"payload"
            assert find_property(entry.properties, "a") is not None
            assert entry.memory_bytes() == 364 + 7 + len(entry.properties)
            assert queue.storage_status().memory_bytes == entry.memory_bytes()
            queue.get(options=NO)
            assert queue.storage_status().memory_bytes == 0


def test_messages_when_equal_in_format_then_they_share_a_descriptor() -> None:
    with ternmq.memory("QM1") as qmgr:
        qmgr.define_queue("Q")
        with qmgr.queue("Q") as queue:
            for _ in range(2):
                queue.put(header(SOUND) + b"payload", format="MQHRF2")
            first = entry_on(qmgr, "Q")
            assert first.next.base is first.base


@pytest.mark.parametrize("checkpoint", [False, True])
@pytest.mark.parametrize("in_unit", [False, True])
def test_restart_then_properties_are_there_as_they_were_put(
    checkpoint: bool, in_unit: bool
) -> None:
    data = header(SOUND, OWN) + b"payload"
    with Simulation() as simulation:
        qmgr = simulation.start()
        qmgr.define_queue("COPY")
        qmgr.define_queue("Q", stream_queue="COPY", stream_quality="MUSTDUP")
        if in_unit:
            with qmgr.unit_of_work():
                qmgr.put("Q", data, descriptor=PERSISTENT)
        else:
            qmgr.put("Q", data, descriptor=PERSISTENT)
        if checkpoint:
            qmgr.checkpoint()
        simulation.crash()
        qmgr = simulation.start()
        for name in ("Q", "COPY"):
            with qmgr.queue(name) as queue:
                message = queue.get(options=FORCE)
                assert (message.data, message.format) == (data, "MQHRF2")


def test_segment_when_messages_are_swept_then_their_properties_come_back() -> None:
    with ternmq.memory("QM1") as qmgr:
        qmgr.define_queue("Q")
        with qmgr.queue("Q") as queue:
            for number in range(300):
                head = header(b"<usr><n>%03d</n></usr>" % number)
                queue.put(head + bytes(20_000), descriptor=MD)
            until(lambda: queue.storage_status().segments > 0)
            for number in range(300):
                message = queue.get(options=FORCE)
                assert message.data.startswith(header(b"<usr><n>%03d</n></usr>" % number))


def test_remote_queue_when_a_message_has_properties_then_the_header_is_behind_the_others() -> None:
    """R5: MQXQH, MQMDE, MQRFH2, data."""
    with ternmq.memory("QM1") as qmgr:
        for command in (
            "DEFINE QLOCAL(FAR) USAGE(XMITQ)",
            "DEFINE QREMOTE(THERE) RNAME(Q) RQMNAME(FAR) XMITQ(FAR)",
        ):
            assert qmgr.mqsc(command)[0].ok
        data = header(SOUND) + b"payload"
        for group in (b"", b"group"):
            md = MD.copy()
            md.group_id = group.ljust(24, b"\0")
            md.msg_flags = mq.MQMF_MSG_IN_GROUP if group else 0
            qmgr.put("THERE", data, descriptor=md)
            with qmgr.queue("FAR") as queue:
                message = queue.get()
            sent = TransmissionHeader.unpack(message.data)
            rest = message.data[mq.MQXQH_CURRENT_LENGTH :]
            if group:
                assert sent.descriptor.format == "MQHMDE"
                assert rest[:4] == b"MDE "
                rest = rest[mq.MQMDE_LENGTH_2 :]
            else:
                assert sent.descriptor.format == "MQHRF2"
            assert rest == data


def test_move_when_a_message_has_properties_then_it_keeps_them() -> None:
    with ternmq.memory("QM1") as qmgr:
        qmgr.define_queue("A")
        qmgr.define_queue("B")
        qmgr.put("A", header(SOUND) + b"x", descriptor=MD)
        assert qmgr.mqsc("MOVE QLOCAL(A) TOQLOCAL(B)")[0].ok
        with qmgr.queue("B") as queue:
            assert queue.get(options=FORCE).data == header(SOUND) + b"x"


def _write(data: Path) -> None:
    qmgr = small(data)
    qmgr.define_queue("A")
    qmgr.checkpoint()
    qmgr.put("A", header(SOUND) + b"payload", descriptor=PERSISTENT)


def test_tools_when_a_message_has_properties_then_they_show_both_parts(tmp_path: Path) -> None:
    crashed(tmp_path, _write)
    with Folder(tmp_path) as folder:
        dump = LogDump(folder)
        shown = [dump.values(one) for one in dump.records(Range(base=True))]
    (put,) = [one for one in shown if one["kind"] == "PUT"]
    assert put["message"]["properties"] == {"a": "1"}
    assert put["message"]["data"] == b"payload".hex()
    found = salvage(tmp_path, None, "A")
    assert found.values(1)["properties"] == {"a": "1"}


def test_put_when_header_and_properties_are_too_many_together_then_it_is_refused() -> None:
    """Each of both may be as many as there can be."""
    with ternmq.memory("QM1") as qmgr, qmgr.queue(_define(qmgr, "Q", 100)) as queue:
        many = {f"a{number}": 1 for number in range(65_535)}
        with pytest.raises(MQError) as caught:
            queue.put(header(SOUND) + b"x", descriptor=MD, properties=many)
        assert caught.value.reason == MQRC_PROPERTIES_TOO_BIG
        with pytest.raises(MQError) as caught:
            qmgr.put("Q", header(SOUND) + b"x", descriptor=MD, properties=many)
        assert caught.value.reason == MQRC_PROPERTIES_TOO_BIG
        assert queue.depth == 0
