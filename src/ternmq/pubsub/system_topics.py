"""The tree below $SYS/MQ, where the queue manager itself publishes: what subscriptions to it set in
motion. `telemetry` answers; this class is what `pubsub` calls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from ternmq.kernel.connection import Connection
    from ternmq.pubsub.subscription import Subscription

SYSTEM_ROOT: Final = "$SYS/"
SYSTEM_LEVELS: Final = 2  # "$SYS/MQ": wildcards above it do not match what is below


class SystemTopics:
    """This one publishes nothing."""

    def prepare(self, connection: Connection) -> bool:
        """Before the first MQSUB to a topic below the root: what is retained there must be there;
        False: the connection is parked."""
        return True

    def added(self, subscription: Subscription) -> None:
        """A subscription to topics below the root begins."""

    def removed(self, subscription: Subscription) -> None:
        """It ends."""
