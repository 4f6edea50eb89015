"""MQSUB and MQSUBRQ from the network, and the topic string of MQOPEN and MQPUT1."""

from __future__ import annotations

from typing import Final, final

from ternmq.base import constants as mq
from ternmq.base.errors import mq_error
from ternmq.base.limits import SELECTION_STRING_BYTES_MAX, TOPIC_STRING_CHARACTERS_MAX
from ternmq.base.reasons import (
    MQRC_OBJECT_STRING_ERROR,
    MQRC_OPTIONS_ERROR,
    MQRC_SELECTION_STRING_ERROR,
    MQRC_SOURCE_CCSID_ERROR,
    MQRC_SRO_ERROR,
    MQRC_SUB_NAME_ERROR,
    MQRC_SUB_USER_DATA_ERROR,
    MQRC_TOPIC_STRING_ERROR,
)
from ternmq.codec.charset import encode
from ternmq.codec.mqi.charv import CharV
from ternmq.codec.mqi.mqsd import SubscriptionDescriptor
from ternmq.kernel.connection import Handle
from ternmq.mqi.steps import topics as steps
from ternmq.network.clients.conversation import Call, Conversation
from ternmq.network.clients.described_strings import returned, string_behind
from ternmq.network.clients.unreadable_call import send_back
from ternmq.values.calls import topics as calls
from ternmq.values.handle import ObjectHandle
from ternmq.wire.fap.call_flows import CALL_HEADER_BYTES
from ternmq.wire.fap.part import Values
from ternmq.wire.fap.segment import Header, Segment
from ternmq.wire.fap.vocabulary import LSD_NAMED, LSD_SHARED

_NO_HANDLE: Final = -1
_FOLLOWING: Final = "subscription_following"
_LONGEST: Final = TOPIC_STRING_CHARACTERS_MAX
_SPBO_BYTES: Final = 16
_LSD_BYTES: Final = 196
_MQSRO_AT: Final = CALL_HEADER_BYTES + 4  # the action
_OUTPUT_FIELDS: Final = ("user_data", "selection_string", "resolved_object_string")


def asked_subscription(
    conversation: Conversation,
    sd: SubscriptionDescriptor,
    following: bytes,
    destination: ObjectHandle | None,
) -> calls.Subscribe:
    """The call that an MQSD and the strings behind it describe."""
    size = sd.size()

    def text(described: CharV, wrong: int, wrong_ccsid: int, most: int) -> str:
        return string_behind(
            conversation, described, size, following, "MQSUB", wrong, wrong_ccsid, most
        )

    asked = SubscriptionDescriptor(
        options=sd.options,
        object_name=sd.object_name,
        alternate_user_id=sd.alternate_user_id,
        expiry=sd.expiry,
        correl_id=sd.correl_id,
        publication_priority=sd.publication_priority,
        publication_accounting_token=sd.publication_accounting_token,
        publication_appl_identity_data=sd.publication_appl_identity_data,
        level=sd.level,
        version=sd.version,
    )
    return calls.Subscribe(
        asked,
        text(
            sd.object_string,
            MQRC_OBJECT_STRING_ERROR,
            MQRC_TOPIC_STRING_ERROR,
            TOPIC_STRING_CHARACTERS_MAX,
        ),
        text(sd.name, MQRC_SUB_NAME_ERROR, MQRC_SUB_NAME_ERROR, _LONGEST),
        text(
            sd.user_data,
            MQRC_SUB_USER_DATA_ERROR,
            MQRC_SUB_USER_DATA_ERROR,
            TOPIC_STRING_CHARACTERS_MAX,
        ),
        text(
            sd.selection_string,
            MQRC_SELECTION_STRING_ERROR,
            MQRC_SOURCE_CCSID_ERROR,
            SELECTION_STRING_BYTES_MAX,
        ),
        destination,
    )


def answer_subscription(
    conversation: Conversation, sd: SubscriptionDescriptor, done: calls.Subscribe
) -> bytes:
    """What an MQSD has after the call; the strings behind it."""
    found = done.sd
    sd.options = found.options
    sd.expiry = found.expiry
    sd.correl_id = found.correl_id
    sd.publication_priority = found.publication_priority
    sd.publication_accounting_token = found.publication_accounting_token
    sd.publication_appl_identity_data = found.publication_appl_identity_data
    sd.level = found.level
    given = ((sd.object_string, done.object_string), (sd.name, done.sub_name))
    behind = b""
    for described, text in given:  # they come back as they are
        described.buffer_size = max(described.buffer_size, described.length)
        behind += returned(conversation, described, text, sd.size() + len(behind))
    texts = (done.user_data, done.selector, done.resolved_string)
    for field, text in zip(_OUTPUT_FIELDS, texts, strict=True):
        described = getattr(sd, field)
        is_resolved = described is sd.resolved_object_string
        behind += returned(conversation, described, text, sd.size() + len(behind), is_resolved)
    return behind


@final
class SubscribeCall(Call):
    """MQSUB, by itself or as SPI has it."""

    def __init__(
        self,
        conversation: Conversation,
        header: Header,
        values: Values,
        following: bytes,
    ) -> None:
        self.sd: SubscriptionDescriptor = values["subscription"]
        self.lsd: Values | None = values.get("lsd")
        values.pop(_FOLLOWING, None)
        destination: Handle | None = None
        number = int(values["handle"])
        if number not in (mq.MQHO_NONE, mq.MQHO_UNUSABLE_HOBJ):
            destination = conversation.handle(number, "MQSUB")
        self.destination = destination
        self.asked = asked_subscription(conversation, self.sd, following, destination)
        if self.lsd is not None:
            _extend(self.asked, self.lsd)
        self.step = steps.Subscribe(self.asked)
        super().__init__(conversation, header, values)

    def verb(self) -> str:
        return "MQSUB"

    def subject(self) -> Handle | None:
        return self.destination

    def attempt(self) -> bool:
        conversation = self.conversation
        verbs = conversation.connected()
        verbs.begin_call("MQSUB")
        line = conversation.line
        # Handles are unique on a socket: clients find their messages by them.
        verbs.link.next_handle = max(verbs.link.next_handle, line.next_handle)
        done = verbs.attempt(self.step)
        line.next_handle = max(line.next_handle, verbs.link.next_handle)
        return done

    def finish(self) -> None:
        queue, subscription = self.asked.done()
        values = self.values
        behind = answer_subscription(self.conversation, self.sd, self.asked)
        values[_FOLLOWING] = behind
        values["handle"] = queue.handle_id
        if self.lsd is None:
            values["subscription_handle"] = subscription.handle_id
        else:
            values["spbo"] = {
                "length": _SPBO_BYTES + _LSD_BYTES + self.sd.size() + len(behind),
                "subscription_handle": subscription.handle_id,
            }
        if self.asked.warning:
            values["comp"] = mq.MQCC_WARNING
            values["reason"] = self.asked.warning

    def give_up(self) -> None:
        refuse_subscribe(self.values)


def _extend(asked: calls.Subscribe, lsd: Values) -> None:
    """What JMS asks for beside the MQSD."""
    options: int = lsd["options"]
    shares = options & LSD_SHARED
    if options & ~(LSD_SHARED | LSD_NAMED) or shares not in (0, LSD_SHARED):
        detail = f"options of LSD 0x{options & 0xFFFFFFFF:08X}"
        raise mq_error(MQRC_OPTIONS_ERROR, verb="MQSUB", detail=detail)
    asked.shares = shares != 0
    asked.repeats_selector = options & LSD_NAMED != 0
    asked.takes_either = not shares and not asked.sd.options & mq.MQSO_CREATE


def subscribe(conversation: Conversation, one: Segment) -> None:
    """MQSUB; its strings stand behind the MQSD, or further on."""
    values, rest = conversation.read_all(one)
    following: bytes = values.get(_FOLLOWING, b"") + rest
    SubscribeCall(conversation, one.header, values, following).go_on()


def spi_subscribe(conversation: Conversation, one: Segment, values: Values) -> None:
    """SPI SUBSCRIBE: the same, with more that JMS asks for."""
    following: bytes = values.get(_FOLLOWING, b"")
    SubscribeCall(conversation, one.header, values, following).go_on()


def refuse_subscribe(values: Values) -> None:
    """A failed MQSUB has no subscription, and the strings do not come back."""
    values["handle"] = _NO_HANDLE
    if "lsd" in values:
        values["spbo"] = {"length": _SPBO_BYTES, "subscription_handle": _NO_HANDLE}
    else:
        values["subscription_handle"] = _NO_HANDLE
    values.pop(_FOLLOWING, None)
    sd: SubscriptionDescriptor = values["subscription"]
    for field in ("object_string", "name", *_OUTPUT_FIELDS):
        getattr(sd, field).length = 0


@final
class RequestCall(Call):
    """MQSUBRQ."""

    def __init__(
        self, conversation: Conversation, header: Header, values: Values, handle: Handle
    ) -> None:
        self.handle = handle
        if values["version"] != mq.MQSRO_VERSION_1:
            detail = f"MQSRO version {values['version']}"
            raise mq_error(MQRC_SRO_ERROR, verb="MQSUBRQ", detail=detail)
        action, options = int(values["action"]), int(values["options"])
        self.asked = calls.RequestPublications(handle, action, options)
        self.step = steps.RequestPublications(self.asked)
        super().__init__(conversation, header, values)

    def subject(self) -> Handle | None:
        return self.handle

    def attempt(self) -> bool:
        verbs = self.conversation.connected()
        verbs.begin_call("MQSUBRQ")
        return verbs.attempt(self.step)

    def finish(self) -> None:
        self.values["publications"] = self.asked.publications


def request_publications(conversation: Conversation, one: Segment) -> None:
    """MQSUBRQ."""
    at = one.body_at + _MQSRO_AT
    name = one.data[at : at + 4]
    if len(name) == 4 and name != encode("SRO ", one.header.text_ccsid):
        detail = f"MQSRO: the eye-catcher is {name.hex()}"
        send_back(conversation, one, mq_error(MQRC_SRO_ERROR, verb="MQSUBRQ", detail=detail))
        return
    values = conversation.read(one)
    handle = conversation.handle(int(values["handle"]), "MQSUBRQ")
    RequestCall(conversation, one.header, values, handle).go_on()
