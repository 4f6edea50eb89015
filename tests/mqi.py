"""The MQI of an in-process connection, verb by verb: for tests that need more than the API gives:
options, handles, the entry of a put, the call of a get."""

from __future__ import annotations

from threading import get_ident
from typing import Any

from ternmq.api import aio, definitions
from ternmq.api.connection import Connection
from ternmq.api.inert_attributes import warn_inert_values
from ternmq.base import constants as mq
from ternmq.base.attributes import Value
from ternmq.base.errors import MQError
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.codec.mqi.mqpmo import PutOptions
from ternmq.engine.engine import Engine
from ternmq.host.shell import Shell
from ternmq.host.tasks import LoopTransport
from ternmq.host.threads import ThreadTransport
from ternmq.kernel.connection import Connection as Link
from ternmq.kernel.connection import Handle
from ternmq.kernel.requests import GetCall, PutRequest
from ternmq.mqi.getting import check_open_for
from ternmq.mqi.got import get_verb
from ternmq.mqi.putting import check_open_for_output
from ternmq.values.calls.messages import Put1
from ternmq.values.calls.objects import Close, Inquire, Open, SetAttributes
from ternmq.values.calls.units import BackOut, Begin, Commit
from ternmq.values.entry import Entry
from ternmq.values.get_request import GetRequest


class Mqi:
    """One connection."""

    def __init__(self, connection: Connection) -> None:
        transport = connection.transport
        assert isinstance(transport, ThreadTransport)
        self.connection = connection
        self.transport = transport

    @property
    def link(self) -> Link:
        return self.transport.link

    @property
    def shell(self) -> Shell:
        return self.transport.shell

    @property
    def engine(self) -> Engine:
        return self.transport.shell.engine

    @property
    def busy(self) -> bool:
        return self.transport.session.busy

    # ---- objects

    def open(self, od: ObjectDescriptor, options: int) -> Handle:
        call = Open(od, options)
        self.transport.run(call)
        handle = call.opened()
        assert isinstance(handle, Handle)
        return handle

    def close(self, handle: Handle, options: int = 0) -> None:
        self.transport.run(Close(handle, options))

    def inquire(self, handle: Handle, selectors: list[int]) -> list[Value]:
        call = Inquire(handle, selectors)
        self.transport.run(call)
        return call.answer()

    def set(self, handle: Handle, values: dict[int, Value]) -> None:
        if handle.definition is not None:
            object_type = int(handle.definition.object_type)
            warn_inert_values(object_type, handle.definition.name, values)
        self.transport.run(SetAttributes(handle, values))

    def define(self, object_type: int, name: str, given: dict[str, Any], replace: bool) -> None:
        call = self.connection.run(definitions.define(object_type, name, given, replace))
        definitions.check_done(call, name)

    # ---- messages

    def request_put(self, md: Descriptor, pmo: PutOptions, verb: str = "MQPUT") -> PutRequest:
        return self.transport.session.request_put(md, pmo, verb)

    def put(self, handle: Handle, request: PutRequest, data: bytes) -> Entry:
        session = self.transport.session
        session.begin(get_ident(), "MQPUT")
        try:
            check_open_for_output(handle, int(request.options), "MQPUT")
            return self.shell.put(self.link, handle, request, data)
        except MQError:
            session.refuse("MQPUT", handle)
            raise
        finally:
            session.end()

    def put1(self, od: ObjectDescriptor, request: PutRequest, data: bytes) -> bytes:
        call = Put1(od, request, data)
        self.transport.run(call)
        return call.msg_id

    def get(self, handle: Handle, request: GetRequest) -> GetCall:
        session = self.transport.session
        session.begin(get_ident(), "MQGET")
        try:
            check_open_for(handle, int(request.options))
            if request.options & mq.MQGMO_UNLOCK:
                return session.unlocked(handle, request)
            return self.shell.get(self.link, handle, request)
        except MQError:
            session.refuse(get_verb(request), handle)
            raise
        finally:
            session.end()

    # ---- units of work

    def start_unit(self) -> None:
        self.transport.run(Begin())

    def commit(self) -> None:
        self.transport.run(Commit())

    def back_out(self) -> None:
        self.transport.run(BackOut())

    def disconnect(self, vanished: bool = False) -> None:
        self.transport.end(vanished)


def mqi(connection: Connection) -> Mqi:
    """The verbs of a connection to a queue manager in this process."""
    return Mqi(connection)


def link_of(connection: aio.Connection) -> Link:
    """The kernel's connection behind one of tasks."""
    transport = connection.transport
    assert isinstance(transport, LoopTransport)
    return transport.link
