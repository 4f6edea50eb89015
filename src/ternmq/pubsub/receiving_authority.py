"""Whether the user of a subscription may still put to its queue: a right that is taken away stops
deliveries. A managed queue is the queue manager's own, and needs no authority."""

from __future__ import annotations

from ternmq.base import constants as mq
from ternmq.base.errors import MQError, mq_error
from ternmq.base.reasons import MQRC_NOT_AUTHORIZED
from ternmq.kernel.kernel import Kernel
from ternmq.pubsub.subscription import Subscription
from ternmq.security import authorities as auth


def may_receive(kernel: Kernel, subscription: Subscription) -> bool:
    """Asked while authority is checked."""
    terms = subscription.terms
    if terms.is_managed or not terms.user:
        return True
    mqot = mq.MQOT_Q
    name = subscription.destination
    if terms.destination_qmgr not in ("", kernel.name):
        mqot = mq.MQOT_REMOTE_Q_MGR_NAME
        name = terms.destination_qmgr
    return kernel.authority.granted(terms.user, mqot, name) & auth.PUT != 0


def not_allowed(subscription: Subscription) -> MQError:
    """Why it gets nothing."""
    name = subscription.destination
    detail = f"user '{subscription.terms.user}' lacks put on queue {name}"
    return mq_error(MQRC_NOT_AUTHORIZED, verb="MQPUT", object=name, detail=detail)
