"""Publish/subscribe as methods of a connection. What few programs need is imported by those that
use it. `aio_topic_methods` has the same for tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ternmq.api.arguments import Data, Requests, as_bytes, put1_alternate

if TYPE_CHECKING:
    from ternmq.api.queue import Queue
    from ternmq.api.topic import Subscription, Topic
    from ternmq.codec.mqi.mqmd import Descriptor
    from ternmq.values.calls.topics import Subscribe
    from ternmq.values.message_properties import Given
    from ternmq.values.transport import Transport


class TopicMethods:
    """What a connection does with topics."""

    _transport: Transport
    _requests: Requests

    def publish(
        self,
        topic: str,
        data: Data,
        *,
        persistent: bool | None = None,
        priority: int | None = None,
        expiry: float | None = None,
        msg_id: bytes | None = None,
        correl_id: bytes | None = None,
        reply_to: str | None = None,
        format: str | None = None,
        descriptor: Descriptor | None = None,
        options: int = 0,
        syncpoint: bool | None = None,
        properties: Given | None = None,
        retain: bool = False,
        not_own: bool = False,
        suppress_reply_to: bool = False,
        needs_subscriber: bool = False,
        level: int = 9,
        object_name: str = "",
        alternate_user: str = "",
    ) -> bytes:
        """MQPUT1: publish one message on a topic that need not stay open; returns its MsgId.

        Arguments as those of `Topic.put`. `object_name` names a topic object: then `topic` is what
        follows its topic string, and may be empty. With `alternate_user` it is that user who must
        have the authority.
        """
        from ternmq.api.topic_arguments import (
            at_level,
            publication_options,
            publish_call,
            published,
        )

        form = self._requests.put(
            data,
            persistent,
            priority,
            expiry,
            msg_id,
            correl_id,
            reply_to,
            format,
            descriptor,
            publication_options(options, retain, not_own, suppress_reply_to, needs_subscriber)
            | put1_alternate(alternate_user),
            syncpoint,
            properties,
        )
        form = at_level(form, level, "MQPUT1")
        call = publish_call(topic, object_name, alternate_user, form, as_bytes(data))
        self._transport.run(call)
        return published(call, topic or object_name)

    def topic(
        self,
        topic: str = "",
        *,
        object_name: str = "",
        options: int = 0,
        alternate_user: str = "",
    ) -> Topic:
        """Open a topic for publications: by its topic string, by the name of a topic object, or by
        both, where the string follows that of the object. `options` are MQOO options."""
        from ternmq.api.topic import Topic
        from ternmq.api.topic_arguments import open_call

        call = open_call(topic, object_name, options, alternate_user)
        self._transport.run(call)
        return Topic(self._transport, call)

    def subscribe(
        self,
        topic: str = "",
        *,
        object_name: str = "",
        durable: str | None = None,
        name: str = "",
        queue: str | Queue | None = None,
        selector: str = "",
        user_data: str = "",
        correl_id: bytes | None = None,
        priority: int | None = None,
        expiry: float | None = None,
        level: int = 1,
        new_only: bool = False,
        on_request: bool = False,
        by_character: bool = False,
        any_user: bool = False,
        grouped: bool = False,
        alternate_user: str = "",
        options: int = 0,
    ) -> Subscription:
        """MQSUB: subscribe to a topic, which may have wildcards (`sport/+/results`, `sport/#`).

        `durable` is the name of a subscription that lasts; one that exists is resumed. `name` names
        one that does not last. Publications go to a queue that the queue manager makes, or to
        `queue`. Only those that match the `selector` are sent; copies carry `user_data`, and have
        `correl_id` and `priority` if these are given. A subscription ends after `expiry` seconds.
        Retained publications come first, unless `new_only`, or `on_request`: then
        `request_publications` sends them and nothing else comes. `by_character`: wildcards are `*`
        and `?`. With `any_user` others may resume it. Of several `grouped` subscriptions with one
        queue and `correl_id`, only one sends a copy. `level` is SubLevel, 0 to 9. `options` are
        further MQSO options; with MQSO_CREATE, MQSO_ALTER or MQSO_RESUME they say what is done.
        """
        from ternmq.api.topic_arguments import subscribe_call

        call = subscribe_call(
            topic,
            object_name,
            durable,
            name,
            selector,
            user_data,
            correl_id,
            priority,
            expiry,
            level,
            new_only,
            on_request,
            by_character,
            any_user,
            grouped,
            alternate_user,
            options,
        )
        return self._subscribe(call, queue)

    def _subscribe(self, call: Subscribe, queue: str | Queue | None) -> Subscription:
        from ternmq.api.queue import Queue
        from ternmq.api.topic import Subscription, destination_of
        from ternmq.api.topic_arguments import (
            asked_for,
            check_queue,
            provide,
            queue_call,
            resumed_fault,
        )
        from ternmq.api.wrong_arguments import explain_selector
        from ternmq.base.errors import MQError

        asked = asked_for(call)
        target: Queue | None = queue if isinstance(queue, Queue) else None
        check_queue(queue, target is not None)
        if isinstance(queue, str):
            opening = queue_call(queue)
            self._transport.run(opening)
            target = Queue(self._transport, opening)
        try:
            if target is not None:
                provide(call, destination_of(target))
            self._transport.run(call)
        except BaseException as error:
            if target is not None and target is not queue:
                target.close()
            if isinstance(error, MQError):
                explain_selector(error, call)
            raise
        owns_queue = queue is None or target is not queue
        subscription = Subscription(self._transport, call, target, owns_queue)
        fault = resumed_fault(call, asked)
        if fault is not None:
            subscription.close()
            raise fault
        return subscription
