"""What publish/subscribe does at a tick for what it stores: a bounded part of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ternmq.pubsub.consolidation import consolidate
from ternmq.pubsub.retained_store import remove_waste
from ternmq.pubsub.scavenger import scavenge
from ternmq.pubsub.stored_loading import read_later

if TYPE_CHECKING:
    from ternmq.pubsub.publish_subscribe import PublishSubscribe


def keep_up(pubsub: PublishSubscribe) -> None:
    """Time has passed."""
    store = pubsub.store
    if pubsub.unread_queues:
        read_later(pubsub)
    if store.consolidation is not None or store.outdated or store.small:
        consolidate(pubsub)
    if pubsub.retained_waste:
        remove_waste(pubsub)
    if pubsub.left_queues:
        scavenge(pubsub)
