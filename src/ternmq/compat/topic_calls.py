"""MQSUB and MQSUBRQ as both libraries call them."""

from __future__ import annotations

from ternmq.base import constants as mq
from ternmq.base.errors import mq_error
from ternmq.base.reasons import (
    MQRC_OBJECT_STRING_ERROR,
    MQRC_SD_ERROR,
    MQRC_SELECTION_STRING_ERROR,
    MQRC_SOURCE_CCSID_ERROR,
    MQRC_SRO_ERROR,
    MQRC_SUB_NAME_ERROR,
    MQRC_SUB_USER_DATA_ERROR,
    MQRC_TOPIC_STRING_ERROR,
)
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.codec.mqi.mqsd import SubscriptionDescriptor
from ternmq.compat.attachments import attached
from ternmq.compat.calls import padded, text_of
from ternmq.compat.pointed_texts import give_back, pointed
from ternmq.compat.structure import MQOpts
from ternmq.values.calls.objects import Open
from ternmq.values.calls.topics import RequestPublications, Subscribe
from ternmq.values.handle import ObjectHandle


def subscribe(hconn: object, sd: MQOpts, hobj: int) -> tuple[int, int]:
    """MQSUB; Hobj and Hsub. The descriptor gets what the queue manager says."""
    attachment = attached(hconn, "MQSUB")
    packed = sd.pack()  # members of a wrong type are found before anything is sent
    if packed[:4] != mq.MQSD_STRUC_ID:
        raise mq_error(MQRC_SD_ERROR, verb="MQSUB", detail=f"StrucId {packed[:4]!r}")
    destination: ObjectHandle | None = None
    if hobj != mq.MQHO_NONE:
        destination = attachment.object(hobj, "MQSUB").opened()
    call = Subscribe(
        _described(sd),
        pointed(sd, "ObjectString", "MQSUB", MQRC_OBJECT_STRING_ERROR, MQRC_TOPIC_STRING_ERROR),
        pointed(sd, "SubName", "MQSUB", MQRC_SUB_NAME_ERROR, MQRC_SUB_NAME_ERROR),
        pointed(sd, "SubUserData", "MQSUB", MQRC_SUB_USER_DATA_ERROR, MQRC_SUB_USER_DATA_ERROR),
        pointed(
            sd, "SelectionString", "MQSUB", MQRC_SELECTION_STRING_ERROR, MQRC_SOURCE_CCSID_ERROR
        ),
        destination,
    )
    attachment.connection.run(call)
    queue, handle = call.done()
    if destination is None:
        attachment.opened[queue.handle_id] = _as_opened(queue, queue.resolved_name)
    attachment.opened[handle.handle_id] = _as_opened(handle, call.sub_name)
    _fill(sd, call)
    if call.warning:
        raise mq_error(call.warning, comp=mq.MQCC_WARNING, verb="MQSUB")
    return queue.handle_id, handle.handle_id


def _as_opened(handle: ObjectHandle, name: str) -> Open:
    opened = Open(ObjectDescriptor(object_name=name[: mq.MQ_Q_NAME_LENGTH]), int(handle.options))
    opened.handle = handle
    opened.resolved_name = opened.target_name = handle.resolved_name
    return opened


def _described(sd: MQOpts) -> SubscriptionDescriptor:
    return SubscriptionDescriptor(
        options=sd.Options,
        object_name=text_of(sd.ObjectName),
        alternate_user_id=text_of(sd.AlternateUserId),
        alternate_security_id=bytes(sd.AlternateSecurityId).ljust(40, b"\0"),
        expiry=sd.SubExpiry,
        correl_id=bytes(sd.SubCorrelId).ljust(24, b"\0"),
        publication_priority=sd.PubPriority,
        publication_accounting_token=bytes(sd.PubAccountingToken).ljust(32, b"\0"),
        publication_appl_identity_data=text_of(sd.PubApplIdentityData),
        level=sd.SubLevel,
        version=sd.Version,
    )


def _fill(sd: MQOpts, call: Subscribe) -> None:
    found = call.sd
    sd.Options = found.options
    sd.SubExpiry = found.expiry
    sd.SubCorrelId = found.correl_id
    sd.PubPriority = found.publication_priority
    sd.PubAccountingToken = found.publication_accounting_token
    sd.PubApplIdentityData = padded(
        found.publication_appl_identity_data, mq.MQ_APPL_IDENTITY_DATA_LENGTH
    )
    sd.SubLevel = found.level
    give_back(sd, "SubUserData", call.user_data)
    give_back(sd, "SelectionString", call.selector)
    give_back(sd, "ResObjectString", call.resolved_string)


def request_publications(hconn: object, hsub: object, action: int, sro: MQOpts) -> None:
    """MQSUBRQ; MQSRO gets the number of publications."""
    attachment = attached(hconn, "MQSUBRQ")
    handle = attachment.object(hsub, "MQSUBRQ").opened()
    name = sro.pack()[:4]
    if name != mq.MQSRO_STRUC_ID or sro.Version != mq.MQSRO_VERSION_1:
        detail = f"StrucId {name!r}, version {sro.Version}"
        raise mq_error(MQRC_SRO_ERROR, verb="MQSUBRQ", detail=detail)
    call = RequestPublications(handle, action, int(sro.Options))
    sro.NumPubs = attachment.connection.run(call).publications
