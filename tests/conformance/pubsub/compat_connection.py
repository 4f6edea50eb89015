"""A connection whose verbs of topics go through the structures of `ternmq.compat`, as programs of
pymqi and ibmmq fill them in: the rows run on it as on any other binding."""

from __future__ import annotations

import ctypes
import sys
from typing import Any, TypeVar

from ternmq import Connection, MQError
from ternmq import constants as mq
from ternmq.codec.charset import UTF8
from ternmq.codec.mqi.layout import BIG, LITTLE
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.compat import calls, ibmmq, topic_calls
from ternmq.compat.attachments import attached
from ternmq.remote.remote_verbs import PackedPut
from ternmq.values.calls.call import Call
from ternmq.values.calls.messages import Put
from ternmq.values.calls.objects import Close, Open
from ternmq.values.calls.topics import RequestPublications, Subscribe

CallT = TypeVar("CallT", bound=Call)
BUFFER = 4 * 10_240
_NATIVE = LITTLE if sys.byteorder == "little" else BIG


class CompatConnection(Connection):
    """Its calls of topics are those of a program that imports ibmmq."""

    def __init__(self, name: str, channel: str, address: str) -> None:
        self.manager = ibmmq.connect(name, channel, address)
        self._hconn = self.manager.get_handle()
        self._attachment = attached(self._hconn, "MQCONN")
        super().__init__(self._attachment.connection.transport)

    def run(self, call: CallT) -> CallT:
        if isinstance(call, Subscribe):
            self._run_mqsub(call)
        elif isinstance(call, Open) and not call.selector and not call.as_needed:
            self._open(call)
        elif isinstance(call, Close) and call.handle.handle_id in self._attachment.opened:
            calls.close_object(self._hconn, call.handle.handle_id, call.options)
        elif isinstance(call, RequestPublications):
            sro = ibmmq.SRO(Options=call.options)
            number = call.handle.handle_id
            topic_calls.request_publications(self._hconn, number, call.action, sro)
            call.publications = sro.NumPubs
        elif isinstance(call, Put) and isinstance(call.form, PackedPut) and _is_plain(call.form):
            self._put(call, call.form)
        else:
            return super().run(call)
        return call

    def _run_mqsub(self, call: Subscribe) -> None:
        sd = ibmmq.SD(
            Version=call.sd.version,
            Options=call.sd.options,
            ObjectName=call.sd.object_name,
            AlternateUserId=call.sd.alternate_user_id,
            SubExpiry=call.sd.expiry,
            SubCorrelId=call.sd.correl_id,
            PubPriority=call.sd.publication_priority,
            PubAccountingToken=call.sd.publication_accounting_token,
            PubApplIdentityData=call.sd.publication_appl_identity_data,
            SubLevel=call.sd.level,
        )
        sd.set_vs("ObjectString", call.object_string.encode(), vs_ccsid=UTF8)
        sd.set_vs("SubName", call.sub_name.encode(), vs_ccsid=UTF8)
        data = _buffer(sd, "SubUserData", call.user_data)
        selector = _buffer(sd, "SelectionString", call.selector)
        resolved = _buffer(sd, "ResObjectString", "")
        number = call.destination.handle_id
        queue, handle = topic_calls.subscribe(self._hconn, sd, number)
        opened = self._attachment.opened
        call.queue = opened[queue].opened()
        call.subscription = opened[handle].opened()
        given = call.sd
        given.options = sd.Options
        given.expiry = sd.SubExpiry
        given.correl_id = sd.SubCorrelId
        given.publication_priority = sd.PubPriority
        given.publication_accounting_token = sd.PubAccountingToken
        given.publication_appl_identity_data = sd.PubApplIdentityData.decode().rstrip()
        given.level = sd.SubLevel
        call.user_data = data.value.decode()
        call.selector = selector.value.decode()
        call.resolved_string = resolved.value.decode()

    def _open(self, call: Open) -> None:
        od = ibmmq.OD(
            Version=call.od.version,
            ObjectType=call.od.object_type,
            ObjectName=call.od.object_name,
            ObjectQMgrName=call.od.object_qmgr_name,
            DynamicQName=call.od.dynamic_queue_name,
            AlternateUserId=call.od.alternate_user_id,
        )
        if call.object_string:
            od.set_vs("ObjectString", call.object_string.encode(), vs_ccsid=UTF8)
        resolved = _buffer(od, "ResObjectString", "")
        found = self._attachment.opened[calls.open_object(self._hconn, od, call.options)]
        for name in ("handle", "object_type", "resolved_name", "renamed", "resolved_qmgr"):
            setattr(call, name, getattr(found, name))
        call.local_queue = found.local_queue
        call.target_name, call.target_qmgr = found.target_name, found.target_qmgr
        call.resolved_string = resolved.value.decode()

    def _put(self, call: Put, form: PackedPut) -> None:
        md = ibmmq.MD(Version=mq.MQMD_VERSION_2)
        md.unpack(Descriptor.unpack(form.packed).pack(order=_NATIVE))
        pmo = ibmmq.PMO(Options=int(form.options), PubLevel=int(form.level))
        try:
            calls.put(self._hconn, call.handle.handle_id, md, pmo, call.data)
        except MQError as error:
            if error.comp != mq.MQCC_WARNING:
                raise
            call.warning = error.reason
        call.msg_id = md.MsgId

    def disconnect(self) -> None:
        self.manager.disconnect()


def _is_plain(form: PackedPut) -> bool:
    """Neither properties beside the data, nor the context of a message that was got."""
    return not form.properties and not form.context


def _buffer(structure: Any, name: str, text: str) -> Any:
    """An MQCHARV with this text, and room for what comes back."""
    data = text.encode()
    buffer = ctypes.create_string_buffer(data, max(BUFFER, len(data) + 1))
    structure._buffers[name] = buffer
    structure[f"{name}VSPtr"] = ctypes.addressof(buffer)
    structure[f"{name}VSBufSize"] = BUFFER
    structure[f"{name}VSLength"] = len(data)
    structure[f"{name}VSCCSID"] = UTF8
    return buffer
