"""The verbs of IBM's Java client, by its MQI (com.ibm.mq.jmqi), over a channel.

Properties go and come as that client has them: in an MQRFH2 before the data.
"""

from __future__ import annotations

from typing import Any, Final

from ternmq.base import constants as mq
from ternmq.base.attributes import Value
from ternmq.base.errors import mq_error
from ternmq.base.reasons import MQRC_MULTIPLE_REASONS, MQRC_TRUNCATED_MSG_FAILED
from ternmq.codec.charset import UTF8
from ternmq.codec.mqi.list_records import Destination, PutRecord
from ternmq.codec.mqi.mqgmo import GetOptions
from ternmq.codec.mqi.mqmd import ENCODING_AT, PRIORITY_AT, Descriptor
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.codec.mqi.mqsts import Status
from ternmq.codec.property_header import as_put, split
from ternmq.remote.fap.open_call import inquired, set_values
from ternmq.values.calls.topics import Subscribe
from ternmq.values.character_lengths import character_bytes
from ternmq.values.xid import XID
from tests.bindings.java_bridge import bridge, unwrapped, wrapped
from tests.bindings.verbs import GetAsked, Listed, Opened, PutAsked, PutDone, Taken, Verbs, filled

# Fields of an MQMD by the names that they have in Java.
_FIELDS: Final = {
    "version": "Version",
    "report": "Report",
    "msg_type": "MsgType",
    "expiry": "Expiry",
    "feedback": "Feedback",
    "encoding": "Encoding",
    "ccsid": "CodedCharSetId",
    "format": "Format",
    "priority": "Priority",
    "persistence": "Persistence",
    "msg_id": "MsgId",
    "correl_id": "CorrelId",
    "backout_count": "BackoutCount",
    "reply_to_queue": "ReplyToQ",
    "reply_to_qmgr": "ReplyToQMgr",
    "user_id": "UserIdentifier",
    "accounting_token": "AccountingToken",
    "appl_identity_data": "ApplIdentityData",
    "put_appl_type": "PutApplType",
    "put_appl_name": "PutApplName",
    "put_date": "PutDate",
    "put_time": "PutTime",
    "appl_origin_data": "ApplOriginData",
    "group_id": "GroupId",
    "msg_seq_number": "MsgSeqNumber",
    "offset": "Offset",
    "msg_flags": "MsgFlags",
    "original_length": "OriginalLength",
}
_SD_FIELDS: Final = {
    "version": "Version",
    "options": "Options",
    "object_name": "ObjectName",
    "alternate_user_id": "AlternateUserId",
    "expiry": "SubExpiry",
    "correl_id": "SubCorrelId",
    "publication_priority": "PubPriority",
    "publication_accounting_token": "PubAccountingToken",
    "publication_appl_identity_data": "PubApplIdentityData",
    "level": "SubLevel",
}
_STS_FIELDS: Final = {
    "comp": "CompCode",
    "reason": "Reason",
    "put_success_count": "PutSuccessCount",
    "put_warning_count": "PutWarningCount",
    "put_failure_count": "PutFailureCount",
    "object_type": "ObjectType",
    "object_name": "ObjectName",
}
_CHOICES: Final = (
    mq.MQGMO_NO_PROPERTIES
    | mq.MQGMO_PROPERTIES_FORCE_MQRFH2
    | mq.MQGMO_PROPERTIES_COMPATIBILITY
    | mq.MQGMO_PROPERTIES_IN_HANDLE
)


class JavaVerbs(Verbs):
    """One connection of the Java process."""

    has_branches = True

    def __init__(self, name: str, channel: str, address: str, application: str) -> None:
        self.name = name
        self._bridge = bridge()
        self._connection = self._bridge.new_connection()
        self._way = {"name": name, "channel": channel, "address": address}
        found = self._call("MQCONNX", application=application, **self._way)
        self.connection_id = unwrapped(found["connectionId"])

    def _call(self, verb: str, **arguments: Any) -> dict[str, Any]:
        found = self._asked(verb, **arguments)
        if found["comp"] == mq.MQCC_FAILED:
            raise mq_error(found["reason"], comp=mq.MQCC_FAILED, verb=verb)
        return found

    def _asked(self, verb: str, **arguments: Any) -> dict[str, Any]:
        return self._bridge.call(self._connection, verb, **arguments)

    # ---- objects

    def open(self, od: ObjectDescriptor, options: int, topic: str, selector: str) -> Opened:
        found = self._call("MQOPEN", options=options, **_object(od, topic, selector))
        names = found["od"]
        return Opened(
            found["hobj"],
            names["ObjectName"].rstrip(" \0"),
            (names["ResolvedQName"] or "").rstrip(" \0"),
            (names["ResolvedQMgrName"] or "").rstrip(" \0"),
            found.get("resObjectString") or "",
        )

    def resolved_topic(self, topic: str, room: int) -> str:
        """What MQOPEN returns of the whole topic string, if there is room for so many bytes."""
        od = ObjectDescriptor(object_type=mq.MQOT_TOPIC)
        asked = {"options": mq.MQOO_OUTPUT, "room": room}
        found = self._call("MQOPEN", **asked, **_object(od, topic, ""))
        return found.get("resObjectString") or ""

    def close(self, number: int, options: int) -> int:
        reason: int = self._call("MQCLOSE", hobj=number, options=options)["reason"]
        return reason

    def inquire(self, number: int, selectors: list[int]) -> tuple[list[Value], int]:
        texts = [one for one in selectors if one >= mq.MQCA_FIRST]
        found = self._call(
            "MQINQ",
            hobj=number,
            selectors=selectors,
            integers=len(selectors) - len(texts),
            characters=sum(character_bytes(one) for one in texts),
        )
        values = {"integers": found["integers"], "characters": unwrapped(found["characters"])}
        return inquired(selectors, values), found["reason"]

    def set(self, number: int, values: dict[int, Value]) -> None:
        body = set_values(values)
        characters = wrapped(body.pop("characters"))
        self._call("MQSET", hobj=number, characters=characters, **body)

    # ---- messages

    def put(self, number: int, asked: PutAsked, data: bytes) -> PutDone:
        return self._put("MQPUT", asked, data, hobj=number)

    def put1(self, od: ObjectDescriptor, topic: str, asked: PutAsked, data: bytes) -> PutDone:
        return self._put("MQPUT1", asked, data, **_object(od, topic, ""))

    def put_later(self, number: int, asked: PutAsked, data: bytes, delay_ms: int) -> PutDone:
        return self._put("MQPUT", asked, data, hobj=number, delay=delay_ms)

    def _put(self, verb: str, asked: PutAsked, data: bytes, **target: Any) -> PutDone:
        md = asked.descriptor
        if asked.area:
            md, data = with_header(asked.area, md, data)
        pmo = {"Version": 3, "Options": asked.options, "SubLevel": asked.level}
        if asked.context:
            target["context"] = asked.context
        found = self._call(verb, md=_fields(md), pmo=pmo, data=wrapped(data), **target)
        return PutDone(_descriptor(found["md"]), found["reason"])

    def get(self, number: int, asked: GetAsked) -> Taken:
        headed = asked.apart and not asked.options.options & _CHOICES
        found = self._asked(
            "MQGET",
            hobj=number,
            md=_fields(asked.descriptor),
            gmo=_get_options(asked.options, mq.MQGMO_PROPERTIES_FORCE_MQRFH2 if headed else 0),
            length=-1 if asked.length is None else asked.length,
        )
        reason, length = found["reason"], found["length"]
        md = _descriptor(found["md"])
        data = unwrapped(found["data"])
        token = unwrapped(found["gmo"]["MsgToken"])
        if found["comp"] == mq.MQCC_FAILED or reason == MQRC_TRUNCATED_MSG_FAILED:
            stays = Taken(data, md, length, reason, token, b"")
            result = stays if reason == MQRC_TRUNCATED_MSG_FAILED else None
            raise mq_error(reason, comp=found["comp"], verb="MQGET", result=result)
        area = b""
        if headed:
            md, data, area, length = without_header(md, data, length)
        return Taken(data, md, length, reason, token, area)

    def consume(self, number: int, asked: GetAsked, count: int) -> list[bytes]:
        said = {"hobj": number, "md": _fields(asked.descriptor), "gmo": _get_options(asked.options)}
        self._call("MQCB", operation=mq.MQOP_REGISTER, **said)
        self._call("MQCTL", operation=mq.MQOP_START)
        called = self._call("calls", count=count)["calls"]
        self._call("MQCTL", operation=mq.MQOP_STOP)
        called = self._call("calls", count=len(called))["calls"]
        self._call("MQCB", operation=mq.MQOP_DEREGISTER, **said)
        self._call("forget")
        return [unwrapped(one["data"]) for one in called if "data" in one]

    def create_handle(self) -> None:
        """MQCRTMH."""
        self._call("MQCRTMH")

    def status(self) -> Status:
        given = self._call("MQSTAT", type=mq.MQSTAT_TYPE_ASYNC_ERROR)["sts"]
        return Status(**{name: _plain(given[java]) for name, java in _STS_FIELDS.items()})

    # ---- distribution lists

    def open_list(
        self, od: ObjectDescriptor, destinations: list[Destination], options: int
    ) -> Listed:
        found = self._asked("MQOPEN", options=options, **_list(od, destinations))
        counts = found["od"]
        outcomes = _outcomes(found, counts["InvalidDestCount"], len(destinations), "MQOPEN")
        return Listed(found.get("hobj", 0), found["comp"], outcomes, counts["UnknownDestCount"])

    def open_counted(self, od: ObjectDescriptor, count: int, names: list[str]) -> int:
        """MQOPEN of an MQOD with this RecsPresent, whatever records it has; the reason."""
        described = _list(od, [Destination(one) for one in names])
        described["od"]["RecsPresent"] = count
        if not names:
            del described["records"]
        return int(self._asked("MQOPEN", options=mq.MQOO_OUTPUT, **described)["reason"])

    def put_list(
        self,
        target: int | ObjectDescriptor,
        destinations: list[Destination],
        asked: PutAsked,
        data: bytes,
        fields: int,
        records: list[PutRecord],
    ) -> Listed:
        verb = "MQPUT" if isinstance(target, int) else "MQPUT1"
        count = len(destinations)
        md = asked.descriptor
        if asked.area:
            md, data = with_header(asked.area, md, data)
        pmo = {"Version": 2, "Options": asked.options, "PutMsgRecFields": fields}
        if isinstance(target, int):
            named = {"hobj": target, "responses": count}
        else:
            named = _list(target, destinations)
        if isinstance(target, int) or records:
            pmo["RecsPresent"] = count
        rows = [
            {java: _travelling(getattr(one, name)) for name, java in _RECORD} for one in records
        ]
        given = {"md": _fields(md), "pmo": pmo, "data": wrapped(data), "putRecords": rows}
        found = self._asked(verb, **given, **named)
        answered = found["pmo"]
        outcomes = _outcomes(found, answered["InvalidDestCount"], count, verb)
        made = _descriptor(found["md"])
        identifiers = tuple(_identifiers(one, fields, made) for one in found["putRecords"])
        unknown = answered["UnknownDestCount"]
        return Listed(0, found["comp"], outcomes, unknown, identifiers)

    # ---- units of work and the end

    def commit(self) -> None:
        found = self._call("MQCMIT")
        if found["reason"]:
            raise mq_error(found["reason"], comp=found["comp"], verb="MQCMIT")

    def back_out(self) -> None:
        self._call("MQBACK")

    def disconnect(self) -> None:
        self._call("MQDISC")

    def begin_branch(self, xid: XID) -> None:
        self._branch("start", xid)

    def prepare_branch(self, xid: XID) -> None:
        for call in ("end", "prepare"):
            self._branch(call, xid)

    def end_branch(self, xid: XID, commit: bool) -> None:
        self._branch("commit" if commit else "rollback", xid)

    def _branch(self, call: str, xid: XID) -> None:
        self._call(
            "xa",
            call=call,
            format=xid.format_id,
            transaction=wrapped(xid.global_id),
            branch=wrapped(xid.branch_qualifier),
        )

    # ---- topics

    def subscribe(self, call: Subscribe) -> tuple[int, int, int]:
        found = self._call(
            "MQSUB",
            hobj=max(call.destination.handle_id, 0),
            sd={java: _travelling(getattr(call.sd, name)) for name, java in _SD_FIELDS.items()},
            objectString=call.object_string,
            subName=call.sub_name,
            subUserData=call.user_data,
            selectionString=call.selector,
        )
        given = {name: _plain(found["sd"][java]) for name, java in _SD_FIELDS.items()}
        filled(call.sd, **given)
        call.user_data = found.get("subUserData") or ""
        call.selector = found.get("selectionString") or ""
        call.resolved_string = found.get("resObjectString") or ""
        return found["hobj"], found["hsub"], found["reason"]

    def request_publications(
        self, number: int, action: int, options: int, version: int = mq.MQSRO_VERSION_1
    ) -> int:
        asked = {"action": action, "options": options, "version": version}
        return int(self._call("MQSUBRQ", hsub=number, **asked)["publications"])

    def published_by_jms(self, topic: str, text: str) -> str | None:
        """What a consumer of JMS gets when its connection, another one, publishes that."""
        came: str | None = self._call("JMS", topic=topic, text=text, **self._way)["text"]
        return came


# ---- structures


def _travelling(value: Any) -> Any:
    return wrapped(value) if isinstance(value, bytes) else value


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return unwrapped(value)
    return value.rstrip(" \0") if isinstance(value, str) else value


def _fields(md: Descriptor) -> dict[str, Any]:
    made = {java: _travelling(getattr(md, name)) for name, java in _FIELDS.items()}
    # The client would say 819, which is its own, in the place of MQCCSI_Q_MGR.
    return {**made, "CodedCharSetId": md.ccsid or UTF8}


def _descriptor(fields: dict[str, Any]) -> Descriptor:
    return Descriptor(**{name: _plain(fields[java]) for name, java in _FIELDS.items()})


def _get_options(given: GetOptions, more: int = 0) -> dict[str, Any]:
    return {
        "Version": given.version,
        "Options": given.options | more,
        "MatchOptions": given.match_options,
        "WaitInterval": given.wait_interval,
        "MsgToken": wrapped(given.message_token),
    }


def _object(od: ObjectDescriptor, topic: str, selector: str) -> dict[str, Any]:
    fields = {
        "Version": mq.MQOD_VERSION_4,
        "ObjectType": od.object_type,
        "ObjectName": od.object_name,
        "ObjectQMgrName": od.object_qmgr_name,
        "DynamicQName": od.dynamic_queue_name,
        "AlternateUserId": od.alternate_user_id,
    }
    return {"od": fields, "objectString": topic, "selectionString": selector}


_RECORD: Final = (
    ("msg_id", "MsgId"),
    ("correl_id", "CorrelId"),
    ("group_id", "GroupId"),
    ("feedback", "Feedback"),
    ("accounting_token", "AccountingToken"),
)


def _identifiers(record: dict[str, Any], fields: int, md: Descriptor) -> dict[str, bytes]:
    """Those of a message: its record's, or those of the descriptor, which are for all."""
    return {
        "msg_id": _plain(record["MsgId"]) if fields & mq.MQPMRF_MSG_ID else b"",
        "correl_id": _plain(record["CorrelId"]) if fields & mq.MQPMRF_CORREL_ID else md.correl_id,
        "group_id": _plain(record["GroupId"]) if fields & mq.MQPMRF_GROUP_ID else md.group_id,
    }


def _list(od: ObjectDescriptor, destinations: list[Destination]) -> dict[str, Any]:
    """MQOD and MQOR of a distribution list."""
    described = _object(od, "", "")
    described["od"]["RecsPresent"] = len(destinations)
    records = [{"ObjectName": one.queue, "ObjectQMgrName": one.qmgr} for one in destinations]
    return {**described, "records": records}


def _outcomes(found: dict[str, Any], invalid: int, count: int, verb: str) -> list[tuple[int, int]]:
    """What became of each destination; the response records are set if they ended differently."""
    comp, reason = found["comp"], found["reason"]
    if reason == MQRC_MULTIPLE_REASONS:
        return [(one[0], one[1]) for one in found["responses"]]
    if comp == mq.MQCC_FAILED and not invalid:
        raise mq_error(reason, comp=comp, verb=verb)
    return [(comp, reason)] * count


def with_header(area: bytes, md: Descriptor, data: bytes) -> tuple[Descriptor, bytes]:
    """A message with its properties in an MQRFH2."""
    whole = md.copy()
    whole.version = mq.MQMD_VERSION_2
    data, packed = as_put(area, data, whole.pack())
    made = Descriptor.unpack(packed)
    made.version = md.version
    return made, data


def without_header(
    md: Descriptor, data: bytes, length: int
) -> tuple[Descriptor, bytes, bytes, int]:
    """A message and its properties apart, as the classes of the client have them."""
    whole = md.copy()
    whole.version = mq.MQMD_VERSION_2
    base = whole.pack()
    parts = split(data, base)
    if parts is None:
        return md, data, b"", length
    described = base[:ENCODING_AT] + parts.fields + base[PRIORITY_AT:]
    cut = len(data) - len(parts.data)
    return Descriptor.unpack(described), parts.data, parts.area, length - cut
