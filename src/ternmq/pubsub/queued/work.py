"""What commands have in common while they are carried out, topic by topic.

A topic that is refused does not keep the others from being done: some done and some refused is a
warning with a reason for each, all refused is an error with the first reason.
"""

from __future__ import annotations

from typing import Final

from ternmq.base import constants as mq
from ternmq.base.command_reasons import (
    MQRCCF_FILTER_ERROR,
    MQRCCF_NOT_AUTHORIZED,
    MQRCCF_Q_MGR_NAME_ERROR,
    MQRCCF_Q_NAME_ERROR,
    MQRCCF_TOPIC_ERROR,
)
from ternmq.base.errors import MQError
from ternmq.base.reasons import (
    MQRC_NOT_AUTHORIZED,
    MQRC_OBJECT_STRING_ERROR,
    MQRC_SELECTION_STRING_ERROR,
    MQRC_SELECTOR_ALWAYS_FALSE,
    MQRC_SELECTOR_SYNTAX_ERROR,
    MQRC_TOPIC_STRING_ERROR,
    MQRC_UNKNOWN_OBJECT_NAME,
    MQRC_UNKNOWN_REMOTE_Q_MGR,
)
from ternmq.codec.headers.pubsub_command import TOPIC, Field, Response
from ternmq.kernel.connection import Connection
from ternmq.kernel.undeliverable import is_passing_refusal
from ternmq.pubsub.publish_subscribe import PublishSubscribe
from ternmq.pubsub.queued.command import CommandFault, QueuedCommand

_REASONS: Final[dict[int, int]] = {
    MQRC_NOT_AUTHORIZED: MQRCCF_NOT_AUTHORIZED,
    MQRC_TOPIC_STRING_ERROR: MQRCCF_TOPIC_ERROR,
    MQRC_OBJECT_STRING_ERROR: MQRCCF_TOPIC_ERROR,
    MQRC_SELECTOR_SYNTAX_ERROR: MQRCCF_FILTER_ERROR,
    MQRC_SELECTOR_ALWAYS_FALSE: MQRCCF_FILTER_ERROR,
    MQRC_SELECTION_STRING_ERROR: MQRCCF_FILTER_ERROR,
    MQRC_UNKNOWN_OBJECT_NAME: MQRCCF_Q_NAME_ERROR,
    MQRC_UNKNOWN_REMOTE_Q_MGR: MQRCCF_Q_MGR_NAME_ERROR,
}
_WITH_ERROR_ID: Final = (MQRCCF_Q_NAME_ERROR, MQRCCF_Q_MGR_NAME_ERROR, MQRCCF_NOT_AUTHORIZED)


class Work:
    """One command under way, and how its topics have fared."""

    def __init__(
        self, pubsub: PublishSubscribe, connection: Connection, command: QueuedCommand
    ) -> None:
        self.pubsub = pubsub
        self.connection = connection
        self.command = command
        self.refused: list[Response] = []
        self.warnings: list[Response] = []
        self.more: list[Field] = []  # for a full response
        self.done = 0
        self._at = 0

    def step(self) -> bool:
        """Go on; False: the connection is parked, or there is more to do later."""
        topics = self.command.topics
        while self._at < len(topics):
            topic = topics[self._at]
            try:
                if not self.attempt(topic):
                    return False
                self.done += 1
            except CommandFault as fault:
                self.refused.append(Response(fault.reason, [*fault.fields, (TOPIC, topic)]))
            except MQError as error:
                if is_passing_refusal(error.reason):
                    raise
                self.refused.append(self._refusal(error, topic))
            self._at += 1
            self.connection.again = True  # the next topic in another step
            if self._at < len(topics):
                return False
        return True

    def attempt(self, topic: str) -> bool:
        """Carry it out for one topic; False: to be tried again."""
        raise NotImplementedError

    def _refusal(self, error: MQError, topic: str) -> Response:
        reason = _REASONS.get(error.reason, error.reason)
        fields: list[Field] = [(TOPIC, topic)]
        if reason in _WITH_ERROR_ID and self.command.is_version_1:
            fields.append(("ErrorId", str(error.reason)))
        return Response(reason, fields)

    def completion(self) -> int:
        """MQCC_ of the command."""
        if not self.refused:
            return mq.MQCC_WARNING if self.warnings else mq.MQCC_OK
        return mq.MQCC_WARNING if self.done else mq.MQCC_FAILED

    def responses(self) -> list[Response]:
        """What the response has to say."""
        if self.refused and not self.done:
            return self.refused[:1]
        found = self.refused + self.warnings
        if self.more:
            found.append(Response(0, self.more))
        return found
