"""MQSUBRQ: the retained publications of a subscription are sent to it once more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

from ternmq.base import constants as mq
from ternmq.base.errors import mq_error
from ternmq.base.reasons import (
    MQRC_ACTION_ERROR,
    MQRC_HOBJ_ERROR,
    MQRC_NO_RETAINED_MSG,
    MQRC_NO_SUBSCRIPTION,
    MQRC_OPTIONS_ERROR,
)
from ternmq.kernel.connection import Connection, Handle
from ternmq.kernel.metering_topics import were_requested
from ternmq.pubsub.opening import refuse_if_disabled
from ternmq.pubsub.publish_subscribe import PublishSubscribe, SubscriptionInUse
from ternmq.pubsub.retained_sending import RetainedSending
from ternmq.pubsub.subscription import Subscription

if TYPE_CHECKING:
    from ternmq.values.calls.topics import RequestPublications

VERB: Final = "MQSUBRQ"


@final
class Requesting:
    """One MQSUBRQ between its steps."""

    def __init__(
        self,
        pubsub: PublishSubscribe,
        connection: Connection,
        call: RequestPublications,
        handle: Handle,
    ) -> None:
        self.pubsub = pubsub
        self.connection = connection
        self.call = call
        self.handle = handle
        self.sending: RetainedSending | None = None

    def step(self) -> bool:
        """Go on; False: parked, or more to do."""
        sending = self.sending
        if sending is None:
            subscription = self._checked()
            sending = RetainedSending(self.pubsub, self.connection, subscription, VERB, False)
            self.sending = sending
        if not sending.step():
            return False
        if sending.sent == 0:
            raise mq_error(MQRC_NO_RETAINED_MSG, verb=VERB, object=self.handle.resolved_name)
        self.call.publications = int(sending.sent)
        if self.pubsub.kernel.measured:
            were_requested(self.pubsub.kernel, self.connection, self.handle)
        return True

    def _checked(self) -> Subscription:
        """The subscription, if it may be asked for this."""
        call = self.call
        handle = self.handle
        self.connection.begin_verb()
        fails = call.options & mq.MQSRO_FAIL_IF_QUIESCING != 0
        self.pubsub.kernel.refuse_if_ending(fails, VERB)
        refuse_if_disabled(self.pubsub, VERB)
        in_use = handle.subscription
        if not isinstance(in_use, SubscriptionInUse):
            detail = "it is not the handle of a subscription"
            raise mq_error(MQRC_HOBJ_ERROR, verb=VERB, object=handle.resolved_name, detail=detail)
        if call.action != mq.MQSR_ACTION_PUBLICATION:
            raise mq_error(MQRC_ACTION_ERROR, verb=VERB, detail=f"action {call.action}")
        if call.options & ~mq.MQSRO_FAIL_IF_QUIESCING:
            raise mq_error(MQRC_OPTIONS_ERROR, verb=VERB, detail=f"options {call.options:#010x}")
        subscription = in_use.subscription
        if subscription.is_removed:
            raise mq_error(MQRC_NO_SUBSCRIPTION, verb=VERB, object=subscription.name)
        if not subscription.terms.on_request:
            detail = "it was not made with MQSO_PUBLICATIONS_ON_REQUEST"
            raise mq_error(MQRC_OPTIONS_ERROR, verb=VERB, object=subscription.name, detail=detail)
        if subscription.is_multicast:
            detail = "a subscription that receives by multicast gets nothing retained"
            raise mq_error(MQRC_NO_RETAINED_MSG, verb=VERB, object=subscription.name, detail=detail)
        return subscription
