"""DeletePub: retained publications go, of one topic or of all that match a pattern."""

from __future__ import annotations

from typing import final

from ternmq.base import constants as mq
from ternmq.pubsub.queued.work import Work
from ternmq.pubsub.topic_authority import check_publish


@final
class Deleting(Work):
    """DeletePub."""

    def attempt(self, topic: str) -> bool:
        pubsub = self.pubsub
        command = self.command
        topic_string = command.full(topic)
        user = None if self.connection.privileged else command.user
        check_publish(pubsub, self.connection, user, topic_string, mq.MQOO_OUTPUT, "MQPUT1")
        node = pubsub.tree.find(topic_string)
        if node is not None:
            pubsub.retained.clear(node)
        return True
