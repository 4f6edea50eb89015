"""DeregSub: subscriptions of a queued subscriber end, by topic, by name, or all of them.

With a SubIdentity only that leaves the identity set of the subscription, which ends with the last
one, unless LeaveOnly says that it stays. A command that was tried before may have done what it
asks for: then nothing is missed.
"""

from __future__ import annotations

from typing import final

from ternmq.base import constants as mq
from ternmq.base.command_reasons import MQRCCF_NOT_REGISTERED, MQRCCF_SUB_NAME_ERROR
from ternmq.codec.headers.pubsub_command import Response
from ternmq.kernel.connection import Connection
from ternmq.pubsub.publish_subscribe import PublishSubscribe
from ternmq.pubsub.queued.command import CommandFault, QueuedCommand
from ternmq.pubsub.queued.identities import left
from ternmq.pubsub.queued.registering import check_user, described, is_named
from ternmq.pubsub.queued.registrations import Registrations
from ternmq.pubsub.queued.work import Work
from ternmq.pubsub.subscription import Subscription, shared_terms
from ternmq.pubsub.subscription_store import remove_subscription, store_subscription


@final
class Deregistering(Work):
    """DeregSub."""

    def __init__(
        self,
        pubsub: PublishSubscribe,
        connection: Connection,
        command: QueuedCommand,
        registrations: Registrations,
    ) -> None:
        super().__init__(pubsub, connection, command)
        self._registrations = registrations
        self._left: list[Subscription] | None = None  # of all that are to go

    def step(self) -> bool:
        command = self.command
        try:
            if command.message.value("SubName"):
                return self._end_named(command.message.value("SubName"))
            if command.options & mq.MQREGO_DEREGISTER_ALL:
                return self._end_all()
        except CommandFault as fault:
            self.refused.append(Response(fault.reason, fault.fields))
            return True
        return super().step()

    def attempt(self, topic: str) -> bool:
        command = self.command
        topic_string = command.full(topic)
        found = self._registrations.find(command.subscriber, topic_string, command.selector)
        if found is None:
            if command.was_tried:
                return True
            raise CommandFault(MQRCCF_NOT_REGISTERED)
        if is_named(found) and command.is_version_1:
            raise CommandFault(MQRCCF_SUB_NAME_ERROR, [("SubName", found.name)])
        return self._end(found, topic)

    def _end_named(self, name: str) -> bool:
        found = self._registrations.named(name)
        if found is None:
            if not self.command.was_tried:
                raise CommandFault(MQRCCF_NOT_REGISTERED, [("SubName", name)])
            return True
        if not self._end(found, found.given_string):
            return False
        self.done += 1
        return True

    def _end_all(self) -> bool:
        """Every one of the subscriber, narrowed to a topic or a filter if they are given."""
        command = self.command
        if self._left is None:
            wanted = [command.full(topic) for topic in command.topics]
            self._left = [
                one
                for one in self._registrations.of(command.subscriber)
                if (not wanted or one.topic_string in wanted)
                and one.terms.topic_object == command.stream
                and (not command.selector or one.terms.selector == command.selector)
            ]
            if not self._left and not command.was_tried:
                raise CommandFault(MQRCCF_NOT_REGISTERED)
            for one in self._left:
                check_user(command, one)
        while self._left:
            one = self._left[-1]
            if not one.is_removed and not self._end(one, one.given_string):
                return False
            self.done += 1
            self._left.pop()
            if self._left:
                self.connection.again = True
                return False
        return True

    def _end(self, found: Subscription, topic: str) -> bool:
        """One subscription, or one identity of it; False: parked."""
        command = self.command
        check_user(command, found)
        if command.options & mq.MQREGO_FULL_RESPONSE:
            self.more = described(self.pubsub, found, topic)
        identity = command.message.value("SubIdentity")
        if identity:
            identities, reason = left(found.terms.identities, identity)
            if reason:
                raise CommandFault(reason)
            if identities or command.options & mq.MQREGO_LEAVE_ONLY:
                return self._leave(found, identities)
        if found.terms.is_durable:
            if not remove_subscription(self.pubsub, self.connection, found):
                return False
        self.pubsub.remove(found)
        return True

    def _leave(self, found: Subscription, identities: str) -> bool:
        before = found.terms
        found.terms = shared_terms(before._replace(identities=identities))
        is_kept = not before.is_durable
        try:
            if before.is_durable:
                is_kept = store_subscription(self.pubsub, self.connection, found)
        finally:
            if not is_kept:
                found.terms = before
        return is_kept
