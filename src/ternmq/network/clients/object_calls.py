"""MQOPEN, MQCLOSE, MQINQ and MQSET: objects and their attributes.

A failed call answers with the same body as one that worked.
"""

from __future__ import annotations

from typing import Any, Final, final

from ternmq.base import constants as mq
from ternmq.base.attributes import BY_SELECTOR, QMGR, Value
from ternmq.base.errors import mq_error
from ternmq.base.limits import (
    INQUIRED_CHARACTERS_MAX,
    INQUIRED_INTEGERS_MAX,
    OBJECT_NAME_BYTES_MAX,
    SELECTION_STRING_BYTES_MAX,
)
from ternmq.base.reasons import (
    MQRC_CHAR_ATTR_LENGTH_ERROR,
    MQRC_CHAR_ATTRS_TOO_SHORT,
    MQRC_INT_ATTR_COUNT_ERROR,
    MQRC_INT_ATTR_COUNT_TOO_SMALL,
    MQRC_SELECTION_STRING_ERROR,
    MQRC_SELECTOR_ERROR,
    MQRC_SELECTOR_NOT_FOR_TYPE,
    MQRC_SOURCE_CCSID_ERROR,
)
from ternmq.codec.charset import decode, encode
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.kernel.connection import Handle
from ternmq.kernel.transmission import resolved_names
from ternmq.mqi.options import check_close
from ternmq.mqi.steps import objects as steps
from ternmq.network.clients.conversation import Call, Conversation, StepCall
from ternmq.network.clients.described_strings import returned, string_behind, topic_behind
from ternmq.pubsub.publish_subscribe import TopicInUse
from ternmq.values.calls import objects as calls
from ternmq.values.calls.messages import selection_of_put1
from ternmq.values.character_lengths import character_bytes
from ternmq.wire.fap.part import Values
from ternmq.wire.fap.segment import Header, Segment

_NO_HANDLE: Final = -1
_UNKNOWN: Final = -1
_OPTIONS_BYTES: Final = 4
_FOPA_BYTES_1: Final = 28
_FOPA_BYTES_2: Final = 84
_FCMI_BYTES: Final = 8
_CHARACTERS_FIRST: Final = mq.MQCA_FIRST
_USES: Final = (
    mq.MQOO_INPUT_AS_Q_DEF
    | mq.MQOO_INPUT_SHARED
    | mq.MQOO_INPUT_EXCLUSIVE
    | mq.MQOO_BROWSE
    | mq.MQOO_OUTPUT
)


# ---- objects


@final
class OpenCall(Call):
    """MQOPEN, by itself or as SPI has it."""

    def __init__(
        self,
        conversation: Conversation,
        header: Header,
        values: Values,
        od: ObjectDescriptor,
        options: int,
        attributes: Values | None,
    ) -> None:
        following = values.pop("object_following", b"")
        selector = selection_text(conversation, od, following)
        topic = topic_behind(conversation, od, following)
        od.selection_string.length = 0  # the reply has no strings but those of topics
        if topic:
            values["object_following"] = following
        else:
            od.object_string.length = 0
        self.asked = calls.Open(asked_object(od), options, selector=selector, object_string=topic)
        self.step = steps.Open(self.asked)
        self.od = od
        self.attributes = attributes  # what the reply says of the queue's defaults
        super().__init__(conversation, header, values)

    def attempt(self) -> bool:
        conversation = self.conversation
        verbs = conversation.connected()
        verbs.begin_call("MQOPEN")
        line = conversation.line
        # Handles are unique on a socket: clients find their messages by them.
        verbs.link.next_handle = max(verbs.link.next_handle, line.next_handle)
        done = verbs.attempt(self.step)
        line.next_handle = max(line.next_handle, verbs.link.next_handle)
        return done

    def finish(self) -> None:
        handle = self.step.opened()
        od = self.od
        self.values["handle"] = handle.handle_id
        local = handle.local
        if local is not None and local.creator is handle:
            od.object_name = local.name
        complete_object(od, handle, self.conversation.connected().engine.name)
        if od.version >= mq.MQOD_VERSION_4:
            self._return_string()
        if self.attributes is not None:
            return_defaults(handle, self.attributes)

    def _return_string(self) -> None:
        """ResObjectString of a topic, if there is a buffer for it: at the end of the reply."""
        od = self.od
        values = self.values
        behind: bytes = values.get("object_following", b"")
        described, text = od.resolved_object_string, self.asked.resolved_string
        spoo: Values | None = values.get("spoo")
        at = od.size() + len(behind)
        if spoo is None:
            at += _OPTIONS_BYTES + _sizes_of(values)
            values["resolved_following"] = returned(self.conversation, described, text, at, True)
            return
        behind += returned(self.conversation, described, text, at, True)
        if behind:
            values["object_following"] = behind
            spoo["length"] += len(behind)

    def give_up(self) -> None:
        self.values["handle"] = _NO_HANDLE


def _sizes_of(values: Values) -> int:
    """Bytes of what follows the options of an MQOPEN."""
    fopa: Values | None = values.get("fopa")
    size = _FCMI_BYTES if values.get("fcmi") is not None else 0
    if fopa is None:
        return size
    return size + (_FOPA_BYTES_2 if fopa["version"] >= 2 else _FOPA_BYTES_1)


def asked_object(od: ObjectDescriptor) -> ObjectDescriptor:
    """What of an MQOD is input. A client says where strings would begin, also if they are empty."""
    asked = ObjectDescriptor(
        version=od.version,
        object_type=od.object_type,
        object_name=od.object_name,
        object_qmgr_name=od.object_qmgr_name,
        dynamic_queue_name=od.dynamic_queue_name,
        alternate_user_id=od.alternate_user_id,
        records_present=od.records_present if od.version >= 2 else 0,
    )
    return asked


def selection_text(conversation: Conversation, od: ObjectDescriptor, following: bytes) -> str:
    """The selection string of an MQOD, which stands behind it; IBM's Java client fills in an offset
    also where there is no string."""
    if od.version < mq.MQOD_VERSION_4:
        return ""
    return string_behind(
        conversation,
        od.selection_string,
        od.size(),
        following,
        "MQOPEN",
        MQRC_SELECTION_STRING_ERROR,
        MQRC_SOURCE_CCSID_ERROR,
        SELECTION_STRING_BYTES_MAX,
    )


def refuse_selection(conversation: Conversation, values: Values) -> None:
    """MQPUT1 selects nothing, and says so."""
    od: ObjectDescriptor = values["object"]
    text = selection_text(conversation, od, values.get("object_following", b""))
    od.selection_string.length = 0  # the reply has no strings
    if text:
        raise selection_of_put1(od.object_name)


def put1_topic(conversation: Conversation, values: Values) -> str:
    """The topic string of an MQPUT1, which the reply has, too: IBM's Java client expects it."""
    od: ObjectDescriptor = values["object"]
    text = topic_behind(conversation, od, values.get("object_following", b""))
    if not text:
        values.pop("object_following", None)
        od.object_string.length = 0
    od.resolved_object_string.length = 0
    return text


def complete_object(od: ObjectDescriptor, handle: Handle, qmgr_name: str) -> None:
    """What an MQOD has after the open."""
    od.known_count = 1
    od.unknown_count = 0
    od.invalid_count = 0
    route = handle.route
    if od.object_type == mq.MQOT_Q_MGR:
        return
    if handle.options & _USES:  # MQOPEN to inquire or set resolves nothing
        names = resolved_names(handle, handle.options, qmgr_name)
        od.resolved_queue_name, od.resolved_qmgr_name = names
    if route is not None:
        od.known_count = 0
        od.unknown_count = 1
    od.resolved_type = od.object_type if handle.topic is None else mq.MQOT_TOPIC


def return_defaults(handle: Handle, fields: Values) -> None:
    """The defaults of a queue or topic, so that the client can resolve options that name them."""
    definition = handle.definition
    names = {
        "default_persistence": "default_persistence",
        "default_put_response": "default_response",
        "default_read_ahead": "default_read_ahead",
        "property_control": "property_control",
    }
    for field, attribute in names.items():
        value: Any = _UNKNOWN
        if definition is not None and definition.is_queue:
            value = definition.attributes.get(attribute, _UNKNOWN)
        fields[field] = value if isinstance(value, int) else _UNKNOWN
    topic = handle.topic
    if isinstance(topic, TopicInUse) and topic.attributes is not None:
        fields["default_put_response"] = int(topic.attributes.default_response)
    if "policy_offset" in fields:
        fields["policy_error_queue"] = ""
        fields["policy_offset"] = fields["length"]
        fields["policy_length"] = 0


def open_object(conversation: Conversation, one: Segment) -> None:
    """MQOPEN."""
    values = conversation.read(one)
    od: ObjectDescriptor = values["object"]
    attributes: Values | None = values.get("fopa")
    OpenCall(conversation, one.header, values, od, int(values["options"]), attributes).go_on()


@final
class CloseCall(Call):
    """MQCLOSE."""

    def __init__(
        self, conversation: Conversation, header: Header, values: Values, handle: Handle
    ) -> None:
        options = int(values["options"]) & ~mq.MQCO_QUIESCE
        check_close(options)
        self.handle = handle
        self.asked = calls.Close(handle, options)
        self.step = steps.Close(self.asked)
        super().__init__(conversation, header, values)

    def subject(self) -> Handle | None:
        return self.handle

    def attempt(self) -> bool:
        verbs = self.conversation.connected()
        verbs.begin_call("MQCLOSE")
        return verbs.attempt(self.step)

    def finish(self) -> None:
        self.values["handle"] = _NO_HANDLE
        if self.asked.warning:
            self.values["comp"] = mq.MQCC_WARNING
            self.values["reason"] = self.asked.warning


def close_object(conversation: Conversation, one: Segment) -> None:
    """MQCLOSE; messages that were not sent to the client stay on their queue."""
    values = conversation.read(one)
    handle_id = int(values["handle"])
    handle = conversation.handle(handle_id, "MQCLOSE")
    call = CloseCall(conversation, one.header, values, handle)
    consumer = conversation.consumers.pop(handle_id, None)
    if consumer is not None:
        consumer.stop()
    conversation.held_cancel.drop()  # its caller is in no get
    conversation.forget_plans()
    call.go_on()


# ---- attributes


@final
class InquireCall(Call):
    """MQINQ."""

    def __init__(
        self, conversation: Conversation, header: Header, values: Values, handle: Handle
    ) -> None:
        self.handle = handle
        self.asked = calls.Inquire(handle, list(values["selectors"]))
        self.step = steps.Inquire(self.asked)
        super().__init__(conversation, header, values)

    def subject(self) -> Handle | None:
        return self.handle

    def attempt(self) -> bool:
        values = self.values
        if not 0 <= int(values["integer_count"]) <= INQUIRED_INTEGERS_MAX:
            raise mq_error(MQRC_INT_ATTR_COUNT_ERROR, verb="MQINQ")
        if not 0 <= int(values["character_length"]) <= INQUIRED_CHARACTERS_MAX:
            raise mq_error(MQRC_CHAR_ATTR_LENGTH_ERROR, verb="MQINQ")
        verbs = self.conversation.connected()
        verbs.begin_call("MQINQ")
        return verbs.attempt(self.step)

    def finish(self) -> None:
        values = self.values
        ccsid = self.header.text_ccsid
        integers: list[int] = []
        characters = b""
        for selector, value in zip(self.asked.selectors, self.asked.values, strict=True):
            if isinstance(value, int):
                integers.append(value)
            else:
                characters += self._characters(selector, value, ccsid)
        if self.asked.inapplicable:
            self._warn(MQRC_SELECTOR_NOT_FOR_TYPE)
        if len(integers) > values["integer_count"]:
            self._warn(MQRC_INT_ATTR_COUNT_TOO_SMALL)
        if len(characters) > values["character_length"]:
            self._warn(MQRC_CHAR_ATTRS_TOO_SHORT)
        count: int = values["integer_count"]
        length: int = values["character_length"]
        values["integers"] = (integers + [0] * count)[:count]
        values["characters"] = characters.ljust(length, b"\0")[:length]

    def _characters(self, selector: int, value: Value, ccsid: int) -> bytes:
        size = attribute_bytes(self.handle, selector)
        text = encode(str(value), ccsid)
        return text[:size].ljust(size, encode(" ", ccsid))

    def _warn(self, reason: int) -> None:
        self.values["comp"] = mq.MQCC_WARNING
        self.values["reason"] = reason

    def give_up(self) -> None:
        refuse_inquire(self.values)


def attribute_bytes(handle: Handle, selector: int) -> int:
    """How long the value of a selector of characters is."""
    definition = handle.definition
    object_type = QMGR if definition is None else definition.object_type
    row = BY_SELECTOR[object_type].get(selector)
    if row is None or not row.text:
        return character_bytes(selector)  # the name of the object itself, or nothing that it has
    return max(row.highest, 1) if row.highest else OBJECT_NAME_BYTES_MAX


def inquire(conversation: Conversation, one: Segment) -> None:
    """MQINQ."""
    values = conversation.read(one)
    handle = conversation.handle(int(values["handle"]), "MQINQ")
    InquireCall(conversation, one.header, values, handle).go_on()


def set_attributes(conversation: Conversation, one: Segment) -> None:
    """MQSET."""
    values = conversation.read(one)
    handle = conversation.handle(int(values["handle"]), "MQSET")
    given: dict[int, Value] = {}
    integers = list(values["integers"])
    characters: bytes = values["characters"]
    for selector in values["selectors"]:
        if selector < _CHARACTERS_FIRST:
            if not integers:
                raise mq_error(MQRC_INT_ATTR_COUNT_ERROR, verb="MQSET", detail="too few integers")
            given[selector] = integers.pop(0)
        else:
            size = attribute_bytes(handle, selector)
            text = decode(characters[:size], one.header.text_ccsid)
            given[selector] = text.rstrip(" \0")
            characters = characters[size:]
    if not given:
        raise mq_error(MQRC_SELECTOR_ERROR, verb="MQSET", detail="no selectors")
    step = steps.SetAttributes(calls.SetAttributes(handle, given))
    step.subject = handle
    CheckedStep(conversation, one.header, values, step).go_on()


@final
class CheckedStep(StepCall):
    """A step that is not done in a unit of work which the queue manager has backed out."""

    def attempt(self) -> bool:
        verbs = self.conversation.connected()
        verbs.begin_call(self.step.verb)
        return verbs.attempt(self.step)


def refuse_open(values: Values) -> None:
    """A failed MQOPEN has no handle."""
    values["handle"] = _NO_HANDLE


def refuse_inquire(values: Values) -> None:
    """A failed MQINQ returns nothing. Areas longer than any can be are not filled: a partner would
    have us make gigabytes of nothing."""
    if not 0 <= int(values["integer_count"]) <= INQUIRED_INTEGERS_MAX:
        values["integer_count"] = 0
    if not 0 <= int(values["character_length"]) <= INQUIRED_CHARACTERS_MAX:
        values["character_length"] = 0
    values["integers"] = [0] * int(values["integer_count"])
    values["characters"] = bytes(int(values["character_length"]))
