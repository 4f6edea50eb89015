"""From Python arguments to the records of a distribution list, for threads and tasks alike."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from ternmq.api.handles import OUTPUT
from ternmq.base import constants as mq
from ternmq.codec.mqi.list_records import Destination, PutRecord
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.values.calls.lists import OpenList, Put1List, PutList
from ternmq.values.handle import ObjectHandle
from ternmq.values.put_form import PutForm

Target = str | tuple[str, str]
_NOTHING: Final = PutRecord()


def destinations_of(targets: Iterable[Target]) -> list[Destination]:
    """Names of queues, or pairs of queue and queue manager."""
    given: object = targets
    if isinstance(given, str) or not isinstance(given, Iterable) or hasattr(given, "put"):
        raise TypeError(f"a distribution list is a list of queues, not {targets!r}")
    found: list[Destination] = []
    for one in targets:
        pair: object = (one, "") if isinstance(one, str) else one
        if not isinstance(pair, tuple | list) or [type(name) for name in pair] != [str, str]:
            wanted = "the name of a queue, or a pair of queue and queue manager"
            raise TypeError(f"a destination is {wanted}, not {one!r}")
        queue, qmgr = pair
        found.append(Destination(queue.rstrip(" "), qmgr.rstrip(" ")))
    return found


def open_call(targets: Iterable[Target], options: int, alternate_user: str) -> OpenList:
    """MQOPEN of a list; without options for output."""
    od = ObjectDescriptor(alternate_user_id=alternate_user)
    options = options or OUTPUT
    if alternate_user:
        options |= mq.MQOO_ALTERNATE_USER_AUTHORITY
    return OpenList(od, destinations_of(targets), options)


def put_call(
    handle: ObjectHandle,
    destinations: list[Destination],
    form: PutForm,
    data: bytes,
    shared: PutRecord,
    records: Sequence[PutRecord] | None,
    descriptor: Descriptor | None,
) -> PutList:
    """MQPUT to an open list."""
    fields, full = full_records(len(destinations), shared, records, descriptor)
    return PutList(handle, destinations, form, data, fields, full)


def put1_call(
    targets: Iterable[Target],
    alternate_user: str,
    form: PutForm,
    data: bytes,
    shared: PutRecord,
    records: Sequence[PutRecord] | None,
    descriptor: Descriptor | None,
) -> Put1List:
    """MQPUT1 to a list."""
    destinations = destinations_of(targets)
    od = ObjectDescriptor(alternate_user_id=alternate_user)
    fields, full = full_records(len(destinations), shared, records, descriptor)
    return Put1List(od, destinations, form, data, fields, full)


def shared_record(
    msg_id: bytes | None, correl_id: bytes | None, descriptor: Descriptor | None
) -> PutRecord:
    """What all messages have, unless a record says otherwise."""
    found = _NOTHING
    if descriptor is not None:
        found = PutRecord(
            descriptor.msg_id,
            descriptor.correl_id,
            descriptor.group_id,
            descriptor.feedback,
            descriptor.accounting_token,
        )
    if msg_id is not None:
        found = found._replace(msg_id=msg_id)
    if correl_id is not None:
        found = found._replace(correl_id=correl_id)
    return found


def full_records(
    count: int,
    shared: PutRecord,
    records: Sequence[PutRecord] | None,
    descriptor: Descriptor | None,
) -> tuple[int, list[PutRecord]]:
    """Records for all destinations, and which fields they have. MsgId is always among them, and
    GroupId if there are groups: they come back. What a record leaves empty is as for all."""
    given = list(records or ())[:count]
    fields = mq.MQPMRF_MSG_ID
    if descriptor is not None and descriptor.msg_flags and not shared.group_id.strip(b"\0"):
        fields |= mq.MQPMRF_GROUP_ID
    for one in given:
        if one.correl_id.strip(b"\0"):
            fields |= mq.MQPMRF_CORREL_ID
        if one.group_id.strip(b"\0"):
            fields |= mq.MQPMRF_GROUP_ID
        if one.feedback != _NOTHING.feedback:
            fields |= mq.MQPMRF_FEEDBACK
        if one.accounting_token.strip(b"\0"):
            fields |= mq.MQPMRF_ACCOUNTING_TOKEN
    full = [_filled(one, shared) for one in given]
    return fields, full + [_filled(_NOTHING, shared)] * (count - len(given))


def _filled(record: PutRecord, shared: PutRecord) -> PutRecord:
    """A record with what all have in its empty fields."""
    return PutRecord(
        _given(record.msg_id, shared.msg_id),
        _given(record.correl_id, shared.correl_id),
        _given(record.group_id, shared.group_id),
        record.feedback or shared.feedback,
        _given(record.accounting_token, shared.accounting_token),
    )


def _given(own: bytes, shared: bytes) -> bytes:
    return own if own.strip(b"\0") else shared
