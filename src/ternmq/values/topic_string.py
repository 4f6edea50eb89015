"""Topic strings on their way: what can travel at all. What they mean is decided by `pubsub`."""

from __future__ import annotations

from ternmq.base.errors import mq_error
from ternmq.base.limits import TOPIC_STRING_CHARACTERS_MAX
from ternmq.base.reasons import MQRC_OBJECT_STRING_ERROR, MQRC_TOPIC_STRING_ERROR


def checked_string(text: str, verb: str) -> str:
    """An ObjectString that a queue manager could take; others are not sent."""
    if len(text) > TOPIC_STRING_CHARACTERS_MAX:
        detail = f"ObjectString has {len(text)} characters; {TOPIC_STRING_CHARACTERS_MAX} fit"
        raise mq_error(MQRC_OBJECT_STRING_ERROR, verb=verb, detail=detail)
    refuse_unencodable(text, MQRC_TOPIC_STRING_ERROR, verb)
    return text


def refuse_unencodable(text: str, reason: int, verb: str) -> None:
    """A string with half a surrogate pair can be neither stored nor sent."""
    if text.isascii():
        return
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        detail = f"character {error.start} cannot be encoded"
        raise mq_error(reason, verb=verb, detail=detail) from error
