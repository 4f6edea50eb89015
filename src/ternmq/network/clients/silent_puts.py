"""Puts that are not answered (MQPMO_ASYNC_RESPONSE): what became of them, for MQSTAT and MQCMIT."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.codec.mqi.mqpmo import PutOptions
from ternmq.kernel.connection import Handle

if TYPE_CHECKING:
    from ternmq.network.clients.conversation import Conversation


class AsyncPuts:
    """What became of puts that were not answered, for MQSTAT."""

    def __init__(self) -> None:
        self.succeeded = 0
        self.warned = 0
        self.failed = 0
        self.error: MQError | None = None  # the first
        self.object = ""
        self.topic_string = ""  # if it is a topic
        self.durable_at = 0  # what the good ones depend on


def topic_of(handle: Handle) -> str:
    """The topic string that a handle is open for, if it is."""
    return "" if handle.topic is None else handle.topic.topic_string


def note_failure(
    conversation: Conversation,
    pmo: PutOptions,
    name: str,
    error: MQError,
    topic_string: str = "",
) -> None:
    """A put without an answer has failed: MQSTAT reports the first, and its unit of work cannot be
    committed, for its application takes the put for done."""
    puts = conversation.async_puts
    puts.failed += 1
    if puts.error is None:
        puts.error = error
        puts.object = name
        puts.topic_string = topic_string
    conversation.refused_aside(error)
    if pmo.options & mq.MQPMO_SYNCPOINT:
        conversation.unit_fails = True


def is_silent_put(conversation: Conversation, pmo: PutOptions) -> bool:
    """Whether a put is not answered."""
    return conversation.is_silent and pmo.options & mq.MQPMO_ASYNC_RESPONSE != 0
