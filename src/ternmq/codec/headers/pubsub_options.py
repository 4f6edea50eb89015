"""The words for options in commands of queued publish/subscribe, and their numbers.

RegOpt has MQREGO_, PubOpt MQPUBO_, DelOpt MQDELO_. An MQRFH2 has one word in each element, an MQRFH
one or more words, or the sum of the numbers, behind each name. "None" means no option.
"""

from __future__ import annotations

from typing import Final

from ternmq.base import constants as mq

# "Local" of a publication has no number in the headers, since an MQRFH knows it of publishers.
PUBLISH_LOCALLY: Final = 1 << 16

REGISTRATION: Final[dict[str, int]] = {
    "None": 0,
    "CorrelAsId": mq.MQREGO_CORREL_ID_AS_IDENTITY,
    "Anon": mq.MQREGO_ANONYMOUS,
    "Local": mq.MQREGO_LOCAL,
    "DirectReq": mq.MQREGO_DIRECT_REQUESTS,
    "NewPubsOnly": mq.MQREGO_NEW_PUBLICATIONS_ONLY,
    "PubOnReqOnly": mq.MQREGO_PUBLISH_ON_REQUEST_ONLY,
    "DeregAll": mq.MQREGO_DEREGISTER_ALL,
    "InclStreamName": mq.MQREGO_INCLUDE_STREAM_NAME,
    "InformIfRet": mq.MQREGO_INFORM_IF_RETAINED,
    "DupsOK": mq.MQREGO_DUPLICATES_OK,
    "NonPers": mq.MQREGO_NON_PERSISTENT,
    "Pers": mq.MQREGO_PERSISTENT,
    "PersAsPub": mq.MQREGO_PERSISTENT_AS_PUBLISH,
    "PersAsQueue": mq.MQREGO_PERSISTENT_AS_Q,
    "AddName": mq.MQREGO_ADD_NAME,
    "NoAlter": mq.MQREGO_NO_ALTERATION,
    "FullResp": mq.MQREGO_FULL_RESPONSE,
    "JoinShared": mq.MQREGO_JOIN_SHARED,
    "JoinExcl": mq.MQREGO_JOIN_EXCLUSIVE,
    "LeaveOnly": mq.MQREGO_LEAVE_ONLY,
    "VariableUserId": mq.MQREGO_VARIABLE_USER_ID,
    "Locked": mq.MQREGO_LOCKED,
}
PUBLICATION: Final[dict[str, int]] = {
    "None": 0,
    "CorrelAsId": mq.MQPUBO_CORREL_ID_AS_IDENTITY,
    "RetainPub": mq.MQPUBO_RETAIN_PUBLICATION,
    "OtherSubsOnly": mq.MQPUBO_OTHER_SUBSCRIBERS_ONLY,
    "NoReg": mq.MQPUBO_NO_REGISTRATION,
    "IsRetainedPub": mq.MQPUBO_IS_RETAINED_PUBLICATION,
    "Local": PUBLISH_LOCALLY,
}
DELETION: Final[dict[str, int]] = {"None": 0, "Local": mq.MQDELO_LOCAL}


def options_of(values: list[str], words: dict[str, int]) -> int:
    """The options that the values of a command name; -1 if one of them is not known."""
    found = 0
    known = sum(words.values())
    for value in values:
        for word in value.split():
            number = words.get(word, -1)
            if number < 0 and word.isascii() and word.isdigit() and len(word) <= 10:
                number = int(word)
            if number < 0 or number & ~known:
                return -1
            found |= number
    return found


def option_words(options: int, words: dict[str, int]) -> list[str]:
    """The word for each option."""
    return [word for word, number in words.items() if number and options & number == number]
