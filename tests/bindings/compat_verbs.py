"""The verbs of a program that imports pymqi or ibmmq: its classes and structures, on the queue
manager's machine or through a channel."""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ternmq.base import constants as mq
from ternmq.base.attributes import Value
from ternmq.base.errors import mq_error
from ternmq.base.reasons import MQRC_TRUNCATED_MSG_FAILED
from ternmq.codec.charset import UTF8
from ternmq.codec.mqi.layout import BIG, LITTLE
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.codec.mqi.mqsts import Status
from ternmq.codec.property_area import pack_area, read_properties
from ternmq.compat.attachments import attached
from ternmq.compat.calls import text_of
from ternmq.compat.errors import MQMIError
from ternmq.compat.properties import using
from ternmq.values.calls.topics import Subscribe
from tests.bindings.verbs import (
    GetAsked,
    Opened,
    PutAsked,
    PutDone,
    Taken,
    Verbs,
    filled,
    not_offered,
)

_NATIVE = LITTLE if sys.byteorder == "little" else BIG
_TEXT_BYTES = 4 * 10_240
_LONGEST = 104_857_600
_CALLS_S = 30
_ELSEWHERE = (
    mq.MQGMO_NO_PROPERTIES | mq.MQGMO_PROPERTIES_FORCE_MQRFH2 | mq.MQGMO_PROPERTIES_COMPATIBILITY
)


@contextmanager
def _errors(verb: str) -> Iterator[None]:
    try:
        yield
    except MQMIError as error:
        cause = error.__cause__
        raise mq_error(
            error.reason, comp=error.comp, verb=verb, detail=getattr(cause, "detail", "")
        ) from error


class CompatVerbs(Verbs):
    """One connection of such a program."""

    def __init__(self, library: Any, *way: str) -> None:
        self.library = library
        self.manager = library.connect(*way)
        self.connection = attached(self.manager.get_handle(), "MQCONN").connection
        self.name = self.connection.name
        self.connection_id = self.connection.connection_id
        self.objects: dict[int, Any] = {}

    # ---- objects

    def _od(self, od: ObjectDescriptor, topic: str, selector: str) -> Any:
        made = self.library.OD(
            Version=mq.MQOD_VERSION_4,
            ObjectType=od.object_type,
            ObjectName=od.object_name.encode(),
            ObjectQMgrName=od.object_qmgr_name.encode(),
            DynamicQName=od.dynamic_queue_name.encode(),
            AlternateUserId=od.alternate_user_id.encode(),
        )
        if topic:
            made.set_vs("ObjectString", topic.encode(), vs_ccsid=UTF8)
        if selector:
            made.set_vs("SelectionString", selector.encode(), vs_ccsid=UTF8)
        return made

    def open(self, od: ObjectDescriptor, options: int, topic: str, selector: str) -> Opened:
        described = self._od(od, topic, selector)
        resolved = _buffer(described, "ResObjectString", "")
        opened: Any
        with _errors("MQOPEN"):
            if od.object_type == mq.MQOT_TOPIC:
                opened = self.library.Topic(self.manager, topic_desc=described)
                number = opened._open(options)
            else:
                opened = self.library.Queue(self.manager)
                opened.open(described, options)
                number = opened.get_handle()
        self.objects[number] = opened
        return Opened(
            number,
            text_of(described.ObjectName),
            text_of(described.ResolvedQName),
            text_of(described.ResolvedQMgrName),
            resolved.value.decode(),
        )

    def close(self, number: int, options: int) -> int:
        warning = 0
        with _errors("MQCLOSE"):
            try:
                self.objects[number].close(options)
            except MQMIError as error:
                if error.comp != mq.MQCC_WARNING:
                    raise
                warning = error.reason
        self.objects.pop(number)._handle = None
        return warning

    def inquire(self, number: int, selectors: list[int]) -> tuple[list[Value], int]:
        with _errors("MQINQ"), self._as(self.library.Queue, number) as queue:
            values = [queue.inquire(one) for one in selectors]
        return [text_of(one) if isinstance(one, bytes) else one for one in values], 0

    @contextmanager
    def _as(self, kind: Any, number: int) -> Iterator[Any]:
        """The object, or one of that kind with its handle: for what other objects do not have."""
        found = self.objects[number]
        if isinstance(found, kind):
            yield found
            return
        made = kind(self.manager)
        made._handle = number
        try:
            yield made
        finally:
            made._handle = None  # or it would be closed when it is dropped

    def set(self, number: int, values: dict[int, Value]) -> None:
        with _errors("MQSET"), self._as(self.library.Queue, number) as queue:
            for selector, value in values.items():
                given = value.encode() if isinstance(value, str) else value
                queue.set(selector, given)

    # ---- messages

    def _md(self, md: Descriptor) -> Any:
        whole = md.copy()
        whole.version = mq.MQMD_VERSION_2
        made = self.library.MD(Version=mq.MQMD_VERSION_2)
        made.unpack(whole.pack(order=_NATIVE))
        made.Version = md.version
        return made

    def _pmo(self, asked: PutAsked) -> Any:
        made = self.library.PMO(
            Version=mq.MQPMO_VERSION_3,
            Options=asked.options,
            PubLevel=asked.level,
            Context=asked.context,
        )
        if asked.area:
            handle = self._handle(mq.MQCMHO_NO_VALIDATION)
            for one in read_properties(asked.area):
                pd = self.library.PD(
                    Support=one.support, Context=one.context, CopyOptions=one.copy_options
                )
                handle.properties.set(one.name, one.value, one.type, pd=pd)
            made.NewMsgHandle = handle.msg_handle
        return made

    def _handle(self, options: int) -> Any:
        return self.library.MessageHandle(self.manager, self.library.CMHO(Options=options))

    def put(self, number: int, asked: PutAsked, data: bytes) -> PutDone:
        target = self.objects[number]
        verb = target.pub if hasattr(target, "pub") else target.put
        return self._put(lambda md, pmo: verb(data, md, pmo), "MQPUT", asked)

    def put1(self, od: ObjectDescriptor, topic: str, asked: PutAsked, data: bytes) -> PutDone:
        described = self._od(od, topic, "")
        return self._put(
            lambda md, pmo: self.manager.put1(described, data, md, pmo), "MQPUT1", asked
        )

    def _put(self, action: Any, verb: str, asked: PutAsked) -> PutDone:
        with _errors(verb):
            md, pmo = self._md(asked.descriptor), self._pmo(asked)
            try:
                action(md, pmo)
            except MQMIError as error:
                if error.comp != mq.MQCC_WARNING:
                    raise
                return PutDone(_descriptor(md), error.reason)
        return PutDone(_descriptor(md), 0)

    def get(self, number: int, asked: GetAsked) -> Taken:
        md = self._md(asked.descriptor)
        gmo = self.library.GMO(
            Version=mq.MQGMO_VERSION_4,
            Options=asked.options.options,
            MatchOptions=asked.options.match_options,
            WaitInterval=asked.options.wait_interval,
            MsgToken=asked.options.message_token,
        )
        handle: Any = None
        if asked.apart and not gmo.Options & _ELSEWHERE:
            handle = self._handle(mq.MQCMHO_DEFAULT_VALIDATION)
            gmo.MsgHandle = handle.msg_handle
        length = asked.length
        if length is None and gmo.Options & mq.MQGMO_ACCEPT_TRUNCATED_MSG:
            length = _LONGEST
        reason, whole = 0, -1
        try:
            with _errors("MQGET"), self._as(self.library.Queue, number) as queue:
                data = queue.get(length, md, gmo)
        except Exception as error:
            cause = error.__cause__
            if not isinstance(cause, MQMIError) or not hasattr(cause, "message"):
                raise
            data, whole = cause.message, getattr(cause, "original_length", -1)
            reason = cause.reason
            if cause.comp == mq.MQCC_FAILED or reason == MQRC_TRUNCATED_MSG_FAILED:
                area = b"" if handle is None else self._area(handle)
                stays = Taken(data, _descriptor(md), whole, 0, bytes(gmo.MsgToken), area)
                raise mq_error(reason, verb="MQGET", result=stays) from error
        area = b"" if handle is None else self._area(handle)
        token = bytes(gmo.MsgToken)
        length = len(data) if whole < 0 else whole
        return Taken(data, _descriptor(md), length, reason, token, area)

    def consume(self, number: int, asked: GetAsked, count: int) -> list[bytes]:
        if not hasattr(self.manager, "ctl"):
            raise not_offered("MQCB")
        heard: list[bytes] = []
        enough = threading.Event()

        def take(**given: Any) -> None:
            if given["msg"] is not None:
                heard.append(given["msg"])
            if len(heard) >= count:
                enough.set()

        gmo = self.library.GMO(
            Version=mq.MQGMO_VERSION_4,
            Options=asked.options.options,
            MatchOptions=asked.options.match_options,
            WaitInterval=asked.options.wait_interval,
        )
        described = self.library.CBD(CallbackFunction=take)
        with _errors("MQCB"), self._as(self.library.Queue, number) as queue:
            md = self._md(asked.descriptor)
            queue.cb(operation=mq.MQOP_REGISTER, cbd=described, md=md, gmo=gmo)
            self.manager.ctl(mq.MQOP_START, self.library.CTLO())
            enough.wait(_CALLS_S)
            self.manager.ctl(mq.MQOP_STOP, self.library.CTLO())
            queue.cb(operation=mq.MQOP_DEREGISTER)
        return heard

    def status(self) -> Status:
        if not hasattr(self.manager, "stat"):
            raise not_offered("MQSTAT")
        with _errors("MQSTAT"):
            found = self.manager.stat(mq.MQSTAT_TYPE_ASYNC_ERROR)
        return Status.unpack(found.pack(), order=_NATIVE, native=True)

    def _area(self, handle: Any) -> bytes:
        with using(handle.msg_handle, self.manager.get_handle(), "MQINQMP") as held:
            properties = held.properties()
        return pack_area(properties) if properties else b""

    # ---- units of work and the end

    def commit(self) -> None:
        with _errors("MQCMIT"):
            self.manager.commit()

    def back_out(self) -> None:
        with _errors("MQBACK"):
            self.manager.backout()

    def disconnect(self) -> None:
        for one in self.objects.values():
            one._handle = None  # they end with the connection
        with _errors("MQDISC"):
            self.manager.disconnect()

    # ---- topics

    def subscribe(self, call: Subscribe) -> tuple[int, int, int]:
        sd = self._sd(call)
        data = _buffer(sd, "SubUserData", call.user_data)
        selector = _buffer(sd, "SelectionString", call.selector)
        resolved = _buffer(sd, "ResObjectString", "")
        made = self.library.Subscription(self.manager)
        with _errors("MQSUB"):
            made.sub(sub_desc=sd, sub_queue=call.destination.handle_id)
        queue = made.get_sub_queue()
        hobj, hsub = queue.get_handle(), made._handle
        for number, one in ((hobj, queue), (hsub, made)):
            if self.objects.setdefault(number, one) is not one:
                one._handle = None  # it is open already, and closed by the other one
        filled(
            call.sd,
            options=sd.Options,
            expiry=sd.SubExpiry,
            correl_id=sd.SubCorrelId,
            publication_priority=sd.PubPriority,
            publication_accounting_token=sd.PubAccountingToken,
            publication_appl_identity_data=text_of(sd.PubApplIdentityData),
            level=sd.SubLevel,
        )
        call.user_data = data.value.decode()
        call.selector = selector.value.decode()
        call.resolved_string = resolved.value.decode()
        return hobj, hsub, 0

    def _sd(self, call: Subscribe) -> Any:
        given = call.sd
        sd = self.library.SD(
            Version=given.version,
            Options=given.options,
            ObjectName=given.object_name.encode(),
            AlternateUserId=given.alternate_user_id.encode(),
            SubExpiry=given.expiry,
            SubCorrelId=given.correl_id,
            PubPriority=given.publication_priority,
            PubAccountingToken=given.publication_accounting_token,
            PubApplIdentityData=given.publication_appl_identity_data.encode(),
            SubLevel=given.level,
        )
        sd.set_vs("ObjectString", call.object_string.encode(), vs_ccsid=UTF8)
        sd.set_vs("SubName", call.sub_name.encode(), vs_ccsid=UTF8)
        return sd

    def request_publications(self, number: int, action: int, options: int) -> int:
        if not hasattr(self.library.Subscription, "subrq"):
            raise not_offered("MQSUBRQ")
        sro = self.library.SRO(Options=options)
        with _errors("MQSUBRQ"), self._as(self.library.Subscription, number) as subscription:
            subscription.subrq(action, sro)
        return int(sro.NumPubs)


def _descriptor(md: Any) -> Descriptor:
    """With the fields of version 2, which an MQMD of version 1 has as they were."""
    version = md.Version
    md.Version = mq.MQMD_VERSION_2
    found = Descriptor.unpack(md.pack(), order=_NATIVE)
    md.Version = found.version = version
    return found


def _buffer(structure: Any, name: str, text: str) -> Any:
    """An MQCHARV with this text, and room for what comes back."""
    data = text.encode()
    buffer = ctypes.create_string_buffer(data, max(_TEXT_BYTES, len(data) + 1))
    structure._buffers[name] = buffer
    structure[f"{name}VSPtr"] = ctypes.addressof(buffer)
    structure[f"{name}VSBufSize"] = _TEXT_BYTES
    structure[f"{name}VSLength"] = len(data)
    structure[f"{name}VSCCSID"] = UTF8
    return buffer
