"""Publish and DeletePub of queued publishers, and ReqUpdate of queued subscribers.

A publication is what stands behind the header of the command, with its descriptor and properties;
what the header says beside the topic goes with it as properties (`pubsub_publication`). It is
published to each topic, in the unit of work of the command if that is one.
"""

from __future__ import annotations

from typing import final

from ternmq.base import constants as mq
from ternmq.base.command_reasons import MQRCCF_NO_RETAINED_MSG, MQRCCF_NOT_REGISTERED
from ternmq.codec.headers.pubsub_command import Response
from ternmq.codec.headers.pubsub_options import PUBLISH_LOCALLY
from ternmq.codec.headers.pubsub_publication import published_properties
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.property_area import HAS_JMS_FOLDER, area_flags, pack_area, read_properties
from ternmq.kernel.connection import Connection, Handle
from ternmq.kernel.put import put
from ternmq.kernel.requests import PutRequest
from ternmq.kernel.resolve import close_handle
from ternmq.pubsub.opening import open_topic
from ternmq.pubsub.publish_subscribe import PublishSubscribe, TopicInUse
from ternmq.pubsub.queued.command import CommandFault, QueuedCommand
from ternmq.pubsub.queued.registering import check_user
from ternmq.pubsub.queued.registrations import Registrations
from ternmq.pubsub.queued.work import Work
from ternmq.pubsub.retained_sending import RetainedSending
from ternmq.pubsub.subscription import Subscription
from ternmq.store.copying import NANOSECONDS_A_TENTH
from ternmq.values.entry import PERSISTENT, Entry


@final
class QueuedPublishing(Work):
    """Publish."""

    def __init__(
        self,
        pubsub: PublishSubscribe,
        connection: Connection,
        command: QueuedCommand,
        entry: Entry,
        is_in_unit: bool,
    ) -> None:
        super().__init__(pubsub, connection, command)
        self._request = self._put_request(entry, is_in_unit)
        self._handle: Handle | None = None

    def attempt(self, topic: str) -> bool:
        connection = self.connection
        handle = self._handle
        if handle is None:
            handle = open_topic(
                self.pubsub, connection, "", self.command.full(topic), mq.MQOO_OUTPUT, "MQPUT1"
            )
            if handle is None:
                return False
            self._handle = handle
            self._leave_out_own(handle)
        is_over = True
        try:
            data = self.command.message.data
            is_over = put(self.pubsub.kernel, connection, handle, self._request, data) is not None
        finally:
            if is_over:
                self._handle = None
                close_handle(self.pubsub.kernel, handle, 0)
        return is_over

    def _leave_out_own(self, handle: Handle) -> None:
        """OtherSubsOnly: a publisher that is a subscriber does not get it."""
        topic = handle.topic
        if self.command.options & mq.MQPUBO_OTHER_SUBSCRIBERS_ONLY:
            if isinstance(topic, TopicInUse):
                topic.own_subscriber = self.command.subscriber

    def _put_request(self, entry: Entry, is_in_unit: bool) -> PutRequest:
        command = self.command
        options = mq.MQPMO_SYNCPOINT if is_in_unit else mq.MQPMO_NO_SYNCPOINT
        if command.options & mq.MQPUBO_RETAIN_PUBLICATION:
            options |= mq.MQPMO_RETAIN
        if command.options & PUBLISH_LOCALLY:
            options |= mq.MQPMO_SCOPE_QMGR
        request = PutRequest(options, self._descriptor().pack(), is_in_unit)
        request.splits = False
        request.correl_id = entry.correl_id
        request.priority = entry.priority
        request.persistence = entry.flags & PERSISTENT
        if entry.expiry_at:
            left_ns = entry.expiry_at - self.pubsub.kernel.clock.now_ns()
            request.expiry = max(left_ns // NANOSECONDS_A_TENTH, 1)
        request.properties = self._properties(entry.properties)
        return request

    def _descriptor(self) -> Descriptor:
        """As IBM MQ forwards publications: no report, no queue for replies, a datagram."""
        message = self.command.message
        made = self.command.md.copy()
        made.report = mq.MQRO_NONE
        made.msg_type = mq.MQMT_DATAGRAM
        made.reply_to_queue = ""
        made.reply_to_qmgr = self.pubsub.kernel.name
        made.format = message.format
        made.encoding = message.encoding or mq.MQENC_NATIVE
        if message.ccsid > 0:
            made.ccsid = message.ccsid
        return made

    def _properties(self, area: bytes) -> bytes:
        """Those of the command message and those that its header makes; the header that they were
        in is not the publication's."""
        added = published_properties(self.command.said())
        if not area:
            return pack_area(added) if added else b""
        found = read_properties(area) + added
        if not found:
            return b""
        return pack_area(found, None, False, area_flags(area) & HAS_JMS_FOLDER != 0)


@final
class Requesting(Work):
    """ReqUpdate."""

    def __init__(
        self,
        pubsub: PublishSubscribe,
        connection: Connection,
        command: QueuedCommand,
        registrations: Registrations,
    ) -> None:
        super().__init__(pubsub, connection, command)
        self._registrations = registrations
        self._sending: RetainedSending | None = None

    def step(self) -> bool:
        name = self.command.message.value("SubName")
        if not name:
            return super().step()
        try:
            found = self._registrations.named(name)
            if found is None:
                raise CommandFault(MQRCCF_NOT_REGISTERED, [("SubName", name)])
            if not self._send(found):
                return False
            self.done += 1
        except CommandFault as fault:
            self.refused.append(Response(fault.reason, fault.fields))
        return True

    def attempt(self, topic: str) -> bool:
        command = self.command
        topic_string = command.full(topic)
        found = self._registrations.find(command.subscriber, topic_string, command.selector)
        if found is None:
            raise CommandFault(MQRCCF_NOT_REGISTERED)
        return self._send(found)

    def _send(self, found: Subscription) -> bool:
        check_user(self.command, found)
        sending = self._sending
        if sending is None:
            sending = RetainedSending(self.pubsub, self.connection, found, "MQSUBRQ", False)
            self._sending = sending
        is_over = True
        try:
            is_over = sending.step()
        finally:
            if is_over:
                self._sending = None
        if is_over and sending.sent == 0:
            raise CommandFault(MQRCCF_NO_RETAINED_MSG)
        return is_over
