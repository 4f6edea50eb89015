"""MQSUB and MQSUBRQ as steps, and what clients of multicast topics ask."""

from __future__ import annotations

from typing import final

from ternmq.base import constants as mq
from ternmq.base.errors import mq_error
from ternmq.base.reasons import MQRC_MULTICAST_INTERNAL_ERROR
from ternmq.kernel.connection import Connection as Link
from ternmq.kernel.connection import Handle
from ternmq.kernel.kernel import Kernel
from ternmq.mqi.steps.step import Step
from ternmq.pubsub.multicast import terms_of
from ternmq.pubsub.multicast_reports import report_figures
from ternmq.pubsub.publish_subscribe import SubscriptionInUse, TopicInUse, pubsub_of
from ternmq.pubsub.requesting import Requesting
from ternmq.pubsub.subscribing import Subscribing
from ternmq.pubsub.topic_attributes import attributes_at
from ternmq.pubsub.wildcards import literal_prefix
from ternmq.values.calls import topics as calls
from ternmq.values.multicast_figures import FIELDS, MulticastFigures


@final
class Subscribe(Step):
    """MQSUB."""

    def __init__(self, call: calls.Subscribe) -> None:
        super().__init__(call.verb)
        self.call = call
        self._work: Subscribing | None = None

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        work = self._work
        if work is None:
            call = self.call
            destination: Handle | None = None
            if call.destination.handle_id != mq.MQHO_NONE:
                destination = self.about(link, call.destination)
            work = Subscribing(pubsub_of(kernel), link, call, destination)
            self._work = work
        return work.step()


@final
class RequestPublications(Step):
    """MQSUBRQ."""

    def __init__(self, call: calls.RequestPublications) -> None:
        super().__init__(call.verb)
        self.call = call
        self._work: Requesting | None = None

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        work = self._work
        if work is None:
            handle = self.about(link, self.call.handle)
            work = Requesting(pubsub_of(kernel), link, self.call, handle)
            self._work = work
        return work.step()


@final
class InquireMulticast(Step):
    """How a handle is used by multicast."""

    def __init__(self, call: calls.InquireMulticast) -> None:
        super().__init__(call.verb)
        self.call = call

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        link.begin_verb()
        handle = self.about(link, self.call.handle)
        tree = pubsub_of(kernel).tree
        in_use, topic = handle.subscription, handle.topic
        if isinstance(in_use, SubscriptionInUse) and in_use.subscription.is_multicast:
            one = in_use.subscription
            prefix = literal_prefix(one.topic_string, one.terms.by_character)
            attributes = attributes_at(tree, prefix)
            self.call.terms = terms_of(kernel, attributes, one.topic_string, self.verb)
        elif isinstance(topic, TopicInUse) and topic.is_multicast:
            attributes = attributes_at(tree, topic.topic_string)
            self.call.terms = terms_of(kernel, attributes, topic.topic_string, self.verb)
        return True


@final
class ReportMulticast(Step):
    """What a client has counted."""

    def __init__(self, call: calls.ReportMulticast) -> None:
        super().__init__(call.verb)
        self.call = call

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        link.begin_verb()
        handle = self.about(link, self.call.handle)
        given = self.call.figures
        if len(given) != FIELDS or min(given) < 0:
            detail = f"{len(given)} figures of multicast"
            raise mq_error(MQRC_MULTICAST_INTERNAL_ERROR, verb=self.verb, detail=detail)
        report_figures(kernel, link, handle, MulticastFigures(*given), self.verb)
        return True
