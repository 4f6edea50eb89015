"""What an MQSD may ask for: its options, names and numbers, each with the reason of MQSUB."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ternmq.base import constants as mq
from ternmq.base.errors import mq_error
from ternmq.base.reasons import (
    MQRC_EXPIRY_ERROR,
    MQRC_OPTIONS_ERROR,
    MQRC_PRIORITY_ERROR,
    MQRC_SD_ERROR,
    MQRC_SELECTION_STRING_ERROR,
    MQRC_SUB_NAME_ERROR,
    MQRC_SUB_USER_DATA_ERROR,
    MQRC_TOPIC_STRING_ERROR,
)
from ternmq.pubsub.subscription import SubscriptionTerms, shared_terms
from ternmq.values.topic_string import refuse_unencodable

if TYPE_CHECKING:
    from ternmq.codec.mqi.mqsd import SubscriptionDescriptor
    from ternmq.values.calls.topics import Subscribe

NAME_MAX: Final = 10_240  # characters
USER_DATA_MAX: Final = 10_240
LEVEL_MAX: Final = 9
VERB: Final = "MQSUB"

_ACTIONS: Final = mq.MQSO_CREATE | mq.MQSO_ALTER | mq.MQSO_RESUME
_KNOWN: Final = (
    _ACTIONS
    | mq.MQSO_DURABLE
    | mq.MQSO_GROUP_SUB
    | mq.MQSO_MANAGED
    | mq.MQSO_SET_IDENTITY_CONTEXT
    | mq.MQSO_NO_MULTICAST
    | mq.MQSO_FIXED_USERID
    | mq.MQSO_ANY_USERID
    | mq.MQSO_PUBLICATIONS_ON_REQUEST
    | mq.MQSO_NEW_PUBLICATIONS_ONLY
    | mq.MQSO_FAIL_IF_QUIESCING
    | mq.MQSO_ALTERNATE_USER_AUTHORITY
    | mq.MQSO_WILDCARD_CHAR
    | mq.MQSO_WILDCARD_TOPIC
    | mq.MQSO_SET_CORREL_ID
    | mq.MQSO_SCOPE_QMGR
    | mq.MQSO_NO_READ_AHEAD
    | mq.MQSO_READ_AHEAD
)
# Options of which one excludes the other, and how operators read of them.
_EXCLUSIVE: Final = (
    (mq.MQSO_GROUP_SUB, mq.MQSO_MANAGED, "MQSO_GROUP_SUB and MQSO_MANAGED"),
    (mq.MQSO_ANY_USERID, mq.MQSO_FIXED_USERID, "MQSO_ANY_USERID and MQSO_FIXED_USERID"),
    (mq.MQSO_WILDCARD_CHAR, mq.MQSO_WILDCARD_TOPIC, "MQSO_WILDCARD_CHAR and _TOPIC"),
    (
        mq.MQSO_NEW_PUBLICATIONS_ONLY,
        mq.MQSO_PUBLICATIONS_ON_REQUEST,
        "MQSO_NEW_PUBLICATIONS_ONLY and MQSO_PUBLICATIONS_ON_REQUEST",
    ),
    (mq.MQSO_READ_AHEAD, mq.MQSO_NO_READ_AHEAD, "MQSO_READ_AHEAD and MQSO_NO_READ_AHEAD"),
)


def check_options(options: int, level: int) -> None:
    """MQRC_OPTIONS_ERROR where options do not go together."""
    fault = _options_fault(options, level)
    if fault:
        raise mq_error(MQRC_OPTIONS_ERROR, verb=VERB, detail=f"options {options:#010x}: {fault}")


def _options_fault(options: int, level: int) -> str:
    if options & ~_KNOWN:
        return f"{options & ~_KNOWN:#010x} are unknown"
    if not options & _ACTIONS:
        return "one of MQSO_CREATE, MQSO_ALTER and MQSO_RESUME is needed"
    for one, other, text in _EXCLUSIVE:
        if options & one and options & other:
            return f"{text} exclude each other"
    if options & mq.MQSO_GROUP_SUB and not options & mq.MQSO_SET_CORREL_ID:
        return "MQSO_GROUP_SUB needs MQSO_SET_CORREL_ID"
    if options & mq.MQSO_NEW_PUBLICATIONS_ONLY and not options & mq.MQSO_CREATE:
        return "MQSO_NEW_PUBLICATIONS_ONLY needs MQSO_CREATE"
    if options & mq.MQSO_PUBLICATIONS_ON_REQUEST and level > 1:
        return f"MQSO_PUBLICATIONS_ON_REQUEST with SubLevel {level}"
    return ""


def check_descriptor(call: Subscribe) -> None:
    """What can be refused without a look at the subscription or at the topic."""
    sd = call.sd
    if sd.version != 1:
        raise mq_error(MQRC_SD_ERROR, verb=VERB, detail=f"version {sd.version} of MQSD")
    check_options(sd.options, sd.level)
    check_sub_name(call.sub_name, sd.options)
    if sd.options & (mq.MQSO_CREATE | mq.MQSO_ALTER):
        check_values(sd, call.user_data)
        refuse_unencodable(call.selector, MQRC_SELECTION_STRING_ERROR, VERB)


def check_sub_name(name: str, options: int) -> None:
    """MQRC_SUB_NAME_ERROR where a name is needed or is too long."""
    named = mq.MQSO_DURABLE | mq.MQSO_RESUME | mq.MQSO_ALTER
    if not name and options & named:
        detail = "a subscription that is durable, resumed or altered needs a SubName"
        raise mq_error(MQRC_SUB_NAME_ERROR, verb=VERB, detail=detail)
    if len(name) > NAME_MAX:
        detail = f"SubName has {len(name)} characters, at most {NAME_MAX} are allowed"
        raise mq_error(MQRC_SUB_NAME_ERROR, verb=VERB, detail=detail)
    refuse_unencodable(name, MQRC_SUB_NAME_ERROR, VERB)


def check_values(sd: SubscriptionDescriptor, user_data: str) -> None:
    """Numbers and texts of a subscription that is made or altered."""
    if not 0 <= sd.level <= LEVEL_MAX:
        raise mq_error(MQRC_SD_ERROR, verb=VERB, detail=f"SubLevel {sd.level}, 0 to 9 are allowed")
    as_something = (mq.MQPRI_PRIORITY_AS_PUBLISHED, mq.MQPRI_PRIORITY_AS_Q_DEF)
    if not 0 <= sd.publication_priority <= 9 and sd.publication_priority not in as_something:
        detail = f"PubPriority {sd.publication_priority}"
        raise mq_error(MQRC_PRIORITY_ERROR, verb=VERB, detail=detail)
    if sd.expiry != mq.MQEI_UNLIMITED and sd.expiry <= 0:
        raise mq_error(MQRC_EXPIRY_ERROR, verb=VERB, detail=f"SubExpiry {sd.expiry}")
    if len(user_data) > USER_DATA_MAX:
        detail = f"SubUserData has {len(user_data)} characters, at most {USER_DATA_MAX} are allowed"
        raise mq_error(MQRC_SUB_USER_DATA_ERROR, verb=VERB, detail=detail)
    refuse_unencodable(user_data, MQRC_SUB_USER_DATA_ERROR, VERB)


def check_pattern(topic_string: str, by_character: bool, verb: str = VERB) -> None:
    """MQRC_TOPIC_STRING_ERROR where "%" stands before something that it cannot make ordinary."""
    if not by_character:
        return
    at = 0
    while at < len(topic_string):
        if topic_string[at] == "%":
            at += 1
            if at == len(topic_string) or topic_string[at] not in "*?%":
                detail = f"{topic_string!r}: '%' must stand before '*', '?' or '%'"
                raise mq_error(MQRC_TOPIC_STRING_ERROR, verb=verb, detail=detail)
        at += 1


def terms_of(call: Subscribe, user: str) -> SubscriptionTerms:
    """The terms of a new subscription."""
    sd = call.sd
    options = sd.options
    sets_identity = options & mq.MQSO_SET_IDENTITY_CONTEXT != 0
    return shared_terms(
        SubscriptionTerms(
            is_durable=options & mq.MQSO_DURABLE != 0,
            is_managed=options & mq.MQSO_MANAGED != 0,
            is_grouped=options & mq.MQSO_GROUP_SUB != 0,
            any_user=options & mq.MQSO_ANY_USERID != 0,
            new_only=options & mq.MQSO_NEW_PUBLICATIONS_ONLY != 0,
            on_request=options & mq.MQSO_PUBLICATIONS_ON_REQUEST != 0,
            by_character=options & mq.MQSO_WILDCARD_CHAR != 0,
            of_qmgr_only=options & mq.MQSO_SCOPE_QMGR != 0,
            passes_correl_id=(
                options & mq.MQSO_SET_CORREL_ID != 0 and sd.correl_id == mq.MQCI_NONE
            ),
            user=user,
            level=sd.level,
            priority=sd.publication_priority,
            expiry=sd.expiry,
            accounting_token=sd.publication_accounting_token if sets_identity else mq.MQACT_NONE,
            sets_identity=sets_identity,
            identity_data=sd.publication_appl_identity_data if sets_identity else "",
            selector=call.selector,
            topic_object=sd.object_name,
            is_shared=call.shares,
        )
    )


def options_of(terms: SubscriptionTerms, sets_correl_id: bool) -> int:
    """The options of a subscription as MQSUB returns them."""
    options = 0
    for flag, option in (
        (terms.is_durable, mq.MQSO_DURABLE),
        (terms.is_managed, mq.MQSO_MANAGED),
        (terms.is_grouped, mq.MQSO_GROUP_SUB),
        (terms.sets_identity, mq.MQSO_SET_IDENTITY_CONTEXT),
        (terms.new_only, mq.MQSO_NEW_PUBLICATIONS_ONLY),
        (terms.on_request, mq.MQSO_PUBLICATIONS_ON_REQUEST),
        (terms.of_qmgr_only, mq.MQSO_SCOPE_QMGR),
        (sets_correl_id, mq.MQSO_SET_CORREL_ID),
    ):
        if flag:
            options |= option
    options |= mq.MQSO_ANY_USERID if terms.any_user else mq.MQSO_FIXED_USERID
    return options | (mq.MQSO_WILDCARD_CHAR if terms.by_character else mq.MQSO_WILDCARD_TOPIC)
