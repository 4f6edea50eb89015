"""Goal: every call of the table is served by name, over the local socket and over TCP alike.

Method: the requests are sent as they travel, and the calls take the answers.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ternmq.base.errors import MQError
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.log.parameters import LINEAR, LogParameters
from ternmq.ports.memory_disk import MemoryDisk
from ternmq.runtime.starting import start
from ternmq.values.calls import administration, objects, streams, units
from ternmq.values.calls.call import Call
from tests.unit.api.networked import Networked, NetworkedQueueManager
from tests.unit.api.served import Served, ServedQueueManager


class Client:
    """Sends calls by name."""

    def __init__(self, kind: str, connection: Any) -> None:
        self.kind = kind
        self.connection = connection

    def run(self, call: Call) -> Call:
        answer = self.ask(call.name, **call.arguments())
        call.take(answer.result, answer.data, answer.at)
        return call

    def ask(self, name: str, **arguments: Any) -> Any:
        transport = self.connection.transport
        return transport.exchange("x", transport.verbs.send_call(name, arguments))


@pytest.fixture(params=["local", "tcp"])
def client(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Client]:
    parameters = LogParameters(LINEAR, 3, 2, 64, False)
    started = start(MemoryDisk(), "QM1", True, parameters, "tester", "test")
    qmgr: Any
    if request.param == "local":
        qmgr = ServedQueueManager(Served(tmp_path, "QM1", started), user="tester")
    else:
        qmgr = NetworkedQueueManager(Networked(tmp_path, "QM1", started), user="tester")
    yield Client(request.param, qmgr)
    qmgr.close()


def test_status_calls_when_sent_by_name_then_answered(client: Client) -> None:
    log = administration.InquireLogStatus()
    client.run(log)
    assert log.found is not None
    before = log.found.checkpoints
    client.run(administration.Checkpoint())
    client.run(log)
    assert log.found.checkpoints > before
    extents = administration.InquireLogExtents()
    client.run(extents)
    assert extents.found is not None
    assert extents.found.current in extents.found.stored
    files = administration.InquireObjectFiles()
    client.run(files)
    assert len(files.files) > 1
    smf = administration.InquireSMF()
    client.run(smf)
    assert len(smf.destinations) == 1
    read = administration.ReadSMF("", -1, 10)
    client.run(read)
    assert read.found is not None
    client.run(administration.InquireReport())
    client.run(units.InquireUnitsInDoubt())
    recover = units.Recover()
    client.run(recover)
    assert recover.xids == []
    client.run(administration.DeleteLogExtents())


def test_commands_when_sent_by_name_then_answered(client: Client) -> None:
    call = administration.RunCommands([], "DEFINE QLOCAL(A)\nDISPLAY QLOCAL(A) MAXDEPTH\nWRONG")
    client.run(call)
    assert [answer.reason == 0 for answer in call.answers] == [True, True, False]
    image = administration.RecordImage("A")
    client.run(image)
    assert image.names == ["A"]
    client.run(administration.Recreate("A"))


def test_streams_when_sent_by_name_then_answered(client: Client) -> None:
    client.connection.define_queue("A", retain="SIZE", retain_megabytes=1)
    with client.connection.queue("A") as queue:
        for data in (b"one", b"two", b"x" * 10_000):
            queue.put(data, persistent=True)
    bounds = streams.StreamBounds("A")
    client.run(bounds)
    found = bounds.outcome()
    read = streams.StreamRead("A", found.incarnation, found.earliest, 0, 2, 1 << 20, False)
    client.run(read)
    assert [message.data for message in read.outcome()] == [b"one", b"two"]
    assert sum(len(part) for part in read.body()) < 5000, "only what was asked for travels"
    cursor = streams.CursorOpen("C", "A", streams.EARLIEST)
    client.run(cursor)
    assert cursor.outcome().position == found.earliest


def test_call_when_it_does_not_fit_the_table_then_the_connection_ends(client: Client) -> None:
    with pytest.raises(MQError):
        client.ask("no_such_call")


def test_call_when_an_argument_is_missing_then_the_connection_ends(client: Client) -> None:
    with pytest.raises(MQError):
        client.ask("record_image")


def test_open_by_name_is_for_the_local_socket_alone(client: Client) -> None:
    call = objects.Open(ObjectDescriptor(object_name="SYSTEM.DEFAULT.LOCAL.QUEUE"), 0, True)
    if client.kind == "tcp":
        with pytest.raises(MQError):
            client.run(call)
        return
    client.run(call)
    assert call.opened().handle_id > 0
    client.run(objects.Close(call.opened()))
