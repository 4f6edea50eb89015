"""What the network reports of message channels: the initiator derives from it, as does what counts.

All of it is called in the loop's thread, without the engine's lock.
"""

from __future__ import annotations

from ternmq.channel.agent import End
from ternmq.kernel.channel_instance import ChannelInstance
from ternmq.network.edge.admission import Refused
from ternmq.store.catalog import Definition


class ChannelEvents:
    """Without an initiator: nothing follows from anything."""

    def may_enter(self, definition: Definition, qmgr_name: str, address: str) -> Refused | None:
        """A partner calls: why it may not come in now; None if it may."""
        return None

    def callback_wanted(self, definition: Definition) -> None:
        """A requester has called a sender, which is to call back."""

    def changed(self, instance: ChannelInstance) -> None:
        """The status of an instance, or its substate, is another one."""

    def ended(self, instance: ChannelInstance, end: End) -> None:
        """An instance has ended, and is not shown any more."""
