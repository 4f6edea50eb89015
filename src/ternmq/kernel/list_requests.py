"""The put of each destination of a list: the request of all, with what its record (MQPMR) says."""

from __future__ import annotations

import struct
from typing import Final, final

from mypy_extensions import i64

from ternmq.base import constants as mq
from ternmq.codec.mqi.list_records import PutRecord
from ternmq.codec.mqi.mqmd import FEEDBACK_AT, MSG_FLAGS_AT, REPORT_AT
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.requests import PutRequest
from ternmq.store.copying import REPORTS_MADE
from ternmq.values.entry import ZERO_ID

_LONG: Final = struct.Struct("<i")
_TOKEN_AT: Final = 208
_TOKEN_END: Final = 240
_IN_BASE: Final = mq.MQPMRF_FEEDBACK | mq.MQPMRF_ACCOUNTING_TOKEN
_IN_GROUP: Final = (
    mq.MQMF_MSG_IN_GROUP
    | mq.MQMF_LAST_MSG_IN_GROUP
    | mq.MQMF_SEGMENT
    | mq.MQMF_LAST_SEGMENT
    | mq.MQMF_SEGMENTATION_ALLOWED
)


def is_in_group(request: PutRequest) -> bool:
    """Whether the message is in a group, is a segment or may become some."""
    flags: int = _LONG.unpack_from(request.base, MSG_FLAGS_AT)[0]
    return flags & _IN_GROUP != 0


@final
class ListRequests:
    """The requests of one put to a list."""

    __slots__ = ("_in_group", "_new_correl_id", "can_join", "fields", "records", "request")

    def __init__(self, request: PutRequest, fields: int, records: list[PutRecord]) -> None:
        self.request = request
        self.fields = fields
        self.records = records
        self._new_correl_id = b""
        self._in_group = is_in_group(request)
        report: int = _LONG.unpack_from(request.base, REPORT_AT)[0]
        # What needs more than to be put on its queue has a put of its own.
        self.can_join = (
            request.persistence != mq.MQPER_NOT_PERSISTENT
            and not request.properties
            and not self._in_group
            and report & REPORTS_MADE == 0
        )

    @property
    def can_share(self) -> bool:
        """Whether a transmission queue may have one message for several destinations."""
        return not self._in_group

    def correl_id(self, kernel: Kernel, at: i64) -> bytes:
        """MQPMO_NEW_CORREL_ID makes one for all destinations; records do not count then."""
        request = self.request
        if request.new_correl_id:
            if not self._new_correl_id:
                self._new_correl_id = kernel.new_id()
            return self._new_correl_id
        if self.fields & mq.MQPMRF_CORREL_ID and at < len(self.records):
            return self.records[at].correl_id
        return request.correl_id

    def msg_id(self, at: i64) -> bytes:
        """Zeros: one is made for this destination. MQPMO_NEW_MSG_ID makes one for each."""
        request = self.request
        if request.options & mq.MQPMO_NEW_MSG_ID:
            return ZERO_ID
        if self.fields & mq.MQPMRF_MSG_ID and at < len(self.records):
            return self.records[at].msg_id
        return request.msg_id

    def request_for(self, kernel: Kernel, at: i64) -> PutRequest:
        """The request of one destination."""
        request = self.request
        msg_id = self.msg_id(at)
        correl_id = self.correl_id(kernel, at)
        fields = self.fields if at < len(self.records) else 0
        if fields & (_IN_BASE | mq.MQPMRF_GROUP_ID):
            made = self._with_record(self.records[at])
            made.msg_id = msg_id
            made.correl_id = correl_id
        elif msg_id == request.msg_id and correl_id == request.correl_id:
            if not request.new_correl_id:
                return request
            made = request.with_ids(msg_id, correl_id)
        else:
            made = request.with_ids(msg_id, correl_id)
        made.new_correl_id = False
        return made

    def _with_record(self, record: PutRecord) -> PutRequest:
        request = self.request
        fields = self.fields
        group_id = request.group_id
        is_new = request.new_group_id
        if fields & mq.MQPMRF_GROUP_ID and self._in_group:
            group_id = record.group_id
            is_new = group_id == ZERO_ID
        base = request.base
        if fields & mq.MQPMRF_FEEDBACK:
            code = _LONG.pack(record.feedback)
            base = base[:FEEDBACK_AT] + code + base[FEEDBACK_AT + 4 :]
        if fields & mq.MQPMRF_ACCOUNTING_TOKEN:
            base = base[:_TOKEN_AT] + record.accounting_token + base[_TOKEN_END:]
        return request.with_group(base, group_id, is_new)
