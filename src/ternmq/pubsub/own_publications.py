"""Publications of the queue manager itself: non-persistent, outside units of work, by nobody's
authority.
"""

from __future__ import annotations

from typing import final

from ternmq.base import constants as mq
from ternmq.codec.mqi.layout import LITTLE
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.pcf.structures import PCFMessage
from ternmq.kernel.connection import Connection, Handle
from ternmq.kernel.requests import PutRequest
from ternmq.pubsub.publish_subscribe import PublishSubscribe, TopicInUse
from ternmq.pubsub.system_topics import SYSTEM_LEVELS


@final
class OwnPublisher:
    """Publishes PCF messages; one at a time."""

    def __init__(self, pubsub: PublishSubscribe) -> None:
        self.pubsub = pubsub
        self.link = Connection(0, b"", "", pubsub.kernel.name)
        self._handle: Handle | None = None  # of a publication that is parked
        self._data = b""

    def is_wanted(self, topic_string: str) -> bool:
        """Whether a subscription matches."""
        return len(self.pubsub.index.match(topic_string, SYSTEM_LEVELS)) > 0

    def publish(self, topic_string: str, message: PCFMessage, retain: bool = False) -> bool:
        """With the lock; False: `link` is parked, and the same call goes on later."""
        pubsub = self.pubsub
        kernel = pubsub.kernel
        ccsid = kernel.number("ccsid")
        if self._handle is None:
            self._data = message.pack(LITTLE, ccsid)
            self._handle = Handle(self.link, 0, mq.MQOO_OUTPUT)
            node = pubsub.tree.ensure(topic_string)
            self._handle.topic = TopicInUse(node, topic_string, "")
        request = _request(kernel.name, ccsid, retain)
        handle = self._handle
        self.link.begin_verb()
        self._handle = None  # unless it parks
        entry = pubsub.publish(self.link, handle, request, self._data)
        if entry is None:
            self._handle = handle
            return False
        self._data = b""
        return True


def _request(name: str, ccsid: int, retain: bool) -> PutRequest:
    descriptor = Descriptor(
        format=mq.MQFMT_ADMIN,
        ccsid=ccsid,
        encoding=mq.MQENC_NATIVE,
        persistence=mq.MQPER_NOT_PERSISTENT,
        put_appl_type=mq.MQAT_QMGR,
        put_appl_name=name[: mq.MQ_PUT_APPL_NAME_LENGTH],
    )
    options = mq.MQPMO_NO_SYNCPOINT | (mq.MQPMO_RETAIN if retain else 0)
    request = PutRequest(options, descriptor.pack(), False)
    request.persistence = mq.MQPER_NOT_PERSISTENT
    request.priority = 0
    return request
