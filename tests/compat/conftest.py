"""The fixtures of the conformance tests: both libraries, on the queue manager's machine and through
a channel, with a queue for each PROPCTL."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from ternmq.compat import ibmmq, pymqi
from ternmq.compat.pymqi import CMQC
from tests.battery.test_properties_and_selectors import CONTROLS
from tests.unit.api.networked import CHANNEL, Networked
from tests.unit.api.served import Served

EVERYTHING = CMQC.MQOO_INPUT_SHARED | CMQC.MQOO_OUTPUT | CMQC.MQOO_BROWSE
RFH2_MD = {"Format": CMQC.MQFMT_RF_HEADER_2, "Encoding": 546, "CodedCharSetId": 1208}


class Program:
    """A connection of a program written for one of the libraries."""

    def __init__(self, library: Any, machine: Networked, way: tuple[str, ...]) -> None:
        self.library = library
        self.machine = machine
        self.qmgr = library.connect(*way)
        self.error: Any = library.MQMIError

    def mqsc(self, text: str) -> None:
        with Served.connect(self.machine) as connection:
            assert all(answer.ok for answer in connection.mqsc(text)), text

    def queue(self, name: str, selector: str = "", options: int = EVERYTHING) -> Any:
        od = self.library.OD(Version=CMQC.MQOD_VERSION_4, ObjectName=name.encode())
        if selector:
            od.set_vs("SelectionString", selector.encode())
        queue = self.library.Queue(self.qmgr)
        queue.open(od, options)
        return queue

    def handle(self) -> Any:
        return self.library.MessageHandle(self.qmgr, self.library.CMHO())

    def md(self, **fields: Any) -> Any:
        return self.library.MD(Version=CMQC.MQMD_VERSION_2, **fields)

    def gmo(self, **fields: Any) -> Any:
        return self.library.GMO(**{"Version": CMQC.MQGMO_VERSION_4, **fields})

    def put(self, queue: Any, data: bytes, given: dict[str, Any], md: Any = None) -> Any:
        """Put with a message handle that has these properties: values, or types and values."""
        handle = self.handle()
        for name, value in given.items():
            kind, plain = value if isinstance(value, tuple) else (CMQC.MQTYPE_STRING, value)
            handle.properties.set(name.encode(), plain, kind)
        pmo = self.library.PMO(Version=CMQC.MQPMO_VERSION_3, NewMsgHandle=handle.msg_handle)
        descriptor = md or self.md()
        queue.put(data, descriptor, pmo)
        return descriptor

    def get(self, queue: Any, options: int = 0, length: int | None = None) -> Any:
        """Data, descriptor and properties of a message that is got with a handle."""
        handle = self.handle()
        gmo = self.gmo(Options=options, MsgHandle=handle.msg_handle)
        md = self.md()
        return queue.get(length, md, gmo), md, handle.properties

    def plain(self, queue: Any, options: int = 0, length: int | None = None) -> bytes:
        """The data of one that is got without."""
        data: bytes = queue.get(length, self.md(), self.gmo(Options=options))
        return data

    def reason(self, action: Any, *args: Any) -> int:
        """The reason that an action is refused with."""
        with pytest.raises(self.error) as caught:
            action(*args)
        reason: int = caught.value.reason
        return reason


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Networked]:
    with Networked(tmp_path_factory.mktemp("data")) as one:
        with Served.connect(one) as connection:
            connection.define_queue("A")
            for name in CONTROLS:
                assert connection.mqsc(f"DEFINE QLOCAL({name}) PROPCTL({name})")[0].ok
        yield one


@pytest.fixture(params=["local", "channel"])
def address(
    request: pytest.FixtureRequest, machine: Networked, monkeypatch: pytest.MonkeyPatch
) -> tuple[str, ...]:
    monkeypatch.setenv("TERNMQ_DATA", str(machine.data))
    with Served.connect(machine) as connection:
        for name in ("A", *CONTROLS):
            connection.clear_queue(name)
    return ("QM1",) if request.param == "local" else ("QM1", CHANNEL, machine.conn)


@pytest.fixture(params=[pymqi, ibmmq], ids=["pymqi", "ibmmq"])
def program(
    request: pytest.FixtureRequest, machine: Networked, address: tuple[str, ...]
) -> Iterator[Program]:
    one = Program(request.param, machine, address)
    yield one
    one.qmgr.disconnect()
