"""From Python arguments to what travels: puts and gets of one open queue, for both APIs.

The twin of `requests` for a queue manager in another process. Descriptors without particulars are
packed once and kept.
"""

from __future__ import annotations

from ternmq.base import constants as mq
from ternmq.client.remote_verbs import RemoteVerbs, packed_put
from ternmq.client.requests import (
    CACHED_REQUESTS_MAX,
    LEVELS,
    Data,
    expiry_tenths,
    is_text,
    new_descriptor,
    particular_descriptor,
    particular_get,
    put1_options,
    wait_ms,
    whole_id,
)
from ternmq.codec.mqmd import CORREL_ID_AT, MSG_ID_AT, Descriptor
from ternmq.kernel.requests import GetRequest

Packed = tuple[int, bytes]  # MQPMO options and the packed descriptor


class LocalRequests:
    """The puts and gets of one open queue."""

    def __init__(self, verbs: RemoteVerbs) -> None:
        self._verbs = verbs
        self._puts: dict[tuple[int, int, int, bool, bool, str | None, str | None], Packed] = {}
        self._gets: dict[tuple[int, bool], GetRequest] = {}

    def put(
        self,
        data: Data,
        persistent: bool | None,
        priority: int | None,
        expiry: float | None,
        msg_id: bytes | None,
        correl_id: bytes | None,
        reply_to: str | None,
        format: str | None,
        descriptor: Descriptor | None,
        options: int,
        syncpoint: bool | None,
    ) -> Packed:
        """Options and descriptor of a put with these arguments."""
        if syncpoint is None:
            syncpoint = self._verbs.in_unit
        lasting = 2 if persistent is None else int(persistent)
        level = -1 if priority is None else priority
        tenths = -1 if expiry is None else expiry_tenths(expiry)
        if descriptor is None and options == 0 and -1 <= level < LEVELS and 0 <= lasting <= 2:
            packed = self._usual_put(data, lasting, level, tenths, reply_to, format, syncpoint)
            if msg_id is None and correl_id is None:
                return packed
            ids = whole_id(msg_id, "MQPUT") + whole_id(correl_id, "MQPUT")
            base = packed[1]
            return packed[0], base[:MSG_ID_AT] + ids + base[CORREL_ID_AT + 24 :]
        md = particular_descriptor(
            data, persistent, priority, expiry, msg_id, correl_id, descriptor
        )
        return packed_with(md, reply_to, format, options, syncpoint)

    def _usual_put(
        self,
        data: Data,
        lasting: int,
        level: int,
        tenths: int,
        reply_to: str | None,
        format: str | None,
        syncpoint: bool,
    ) -> Packed:
        key = (lasting, level, tenths, is_text(data), syncpoint, reply_to, format)
        packed = self._puts.get(key)
        if packed is None:
            md = new_descriptor(data, lasting, level, tenths)
            packed = packed_with(md, reply_to, format, 0, syncpoint)
            if len(self._puts) >= CACHED_REQUESTS_MAX:
                self._puts.clear()
            self._puts[key] = packed
        return packed

    def get(
        self,
        wait: float | None,
        msg_id: bytes | None,
        correl_id: bytes | None,
        group_id: bytes | None,
        token: bytes | None,
        max_length: int | None,
        options: int,
        syncpoint: bool | None,
    ) -> GetRequest:
        """The request of a get with these arguments."""
        if syncpoint is None:
            syncpoint = self._verbs.in_unit
        key = (0 if wait is None else wait_ms(wait), syncpoint)
        if group_id is not None or token is not None or max_length is not None or options != 0:
            return particular_get(key, msg_id, correl_id, group_id, token, max_length, options)
        request = self._gets.get(key)
        if request is None:
            request = particular_get(key, None, None, None, None, None, 0)
            if len(self._gets) >= CACHED_REQUESTS_MAX:
                self._gets.clear()
            self._gets[key] = request
        if msg_id is None and correl_id is None:
            return request
        return request.with_ids(whole_id(msg_id, "MQGET"), whole_id(correl_id, "MQGET"))


def packed_with(
    md: Descriptor, reply_to: str | None, format: str | None, options: int, syncpoint: bool
) -> Packed:
    """A put's options and descriptor, checked."""
    if reply_to is not None:
        md.reply_to_queue = reply_to
        md.msg_type = mq.MQMT_REQUEST
    if format is not None:
        md.format = format
    if not options & (mq.MQPMO_SYNCPOINT | mq.MQPMO_NO_SYNCPOINT):
        options |= mq.MQPMO_SYNCPOINT if syncpoint else mq.MQPMO_NO_SYNCPOINT
    options |= mq.MQPMO_FAIL_IF_QUIESCING
    return options, packed_put(md, options, "MQPUT")


def put1_packed(data: Data, descriptor: Descriptor | None, in_unit: bool, options: int) -> Packed:
    """Options and descriptor of MQPUT1."""
    md = new_descriptor(data, 2, -1, -1) if descriptor is None else descriptor
    options |= put1_options(in_unit)
    return options, packed_put(md, options, "MQPUT1")
