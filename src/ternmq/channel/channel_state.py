"""The state of one channel with one partner that survives a restart, as both ends keep it.

A persistent message of SYSTEM.CHANNEL.SYNCQ holds it. It is replaced in the same unit of work as
the messages of the batch, so that a crash leaves both or neither. A sender's batch that is in doubt
is a prepared unit of work whose XID names channel, LUWID and sequence number.
"""

from __future__ import annotations

from typing import Final, final

NO_LUWID: Final = bytes(8)


@final
class ChannelState:
    """What was committed last, and what is in doubt."""

    def __init__(self, channel: str, is_sender: bool) -> None:
        self.channel = channel
        self.is_sender = is_sender
        self.partner_qmgr = ""
        self.partner_address = ""  # CONNAME
        self.transmission_queue = ""  # of a sender
        self.last_sequence = 0  # of the last message of the last batch that was committed here
        self.last_luwid = NO_LUWID
        # of a sender, while a batch is in doubt; the sequence number is that of its last message
        self.is_in_doubt = False
        self.in_doubt_sequence = 0
        self.in_doubt_luwid = NO_LUWID
        self.in_doubt_messages = 0
        # RESET CHANNEL that the next start sends to the partner: the number of the next message, so
        # that the last one is one less; 0: none
        self.reset_sequence = 0
