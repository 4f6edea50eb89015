"""The states of a channel, and which follows which: the flows between channel states of the book on
intercommunication, as a table.

INACTIVE is not current. STARTING, RETRYING and STOPPED are current and not active; the others are
active, which means that an agent runs. Every end of an agent passes STOPPING, except where no
session was established.
"""

from __future__ import annotations

from typing import Final

from ternmq.base import constants as mq
from ternmq.kernel.channel_instance import (
    BINDING,
    INACTIVE,
    INITIALIZING,
    PAUSED,
    REQUESTING,
    RETRYING,
    RUNNING,
    STARTING,
    STOPPED,
    STOPPING,
)

STATES: Final[dict[str, int]] = {
    INACTIVE: mq.MQCHS_INACTIVE,
    BINDING: mq.MQCHS_BINDING,
    STARTING: mq.MQCHS_STARTING,
    RUNNING: mq.MQCHS_RUNNING,
    STOPPING: mq.MQCHS_STOPPING,
    RETRYING: mq.MQCHS_RETRYING,
    STOPPED: mq.MQCHS_STOPPED,
    REQUESTING: mq.MQCHS_REQUESTING,
    PAUSED: mq.MQCHS_PAUSED,
    INITIALIZING: mq.MQCHS_INITIALIZING,
}
WORDS: Final[dict[int, str]] = {number: word for word, number in STATES.items()}
ACTIVE: Final = (INITIALIZING, BINDING, REQUESTING, RUNNING, PAUSED, STOPPING)
_ENDS: Final = (RETRYING, STOPPED, INACTIVE)

# A requester that is started, and a channel that a partner calls, do not pass STARTING.
FOLLOWERS: Final[dict[str, tuple[str, ...]]] = {
    INACTIVE: (STARTING, INITIALIZING, BINDING, STOPPED),
    STARTING: (INITIALIZING, BINDING, STOPPED, INACTIVE),
    INITIALIZING: (BINDING, STOPPING, *_ENDS),
    BINDING: (RUNNING, REQUESTING, STOPPING, *_ENDS),
    REQUESTING: (BINDING, RUNNING, STOPPING, STOPPED, INACTIVE),
    RUNNING: (PAUSED, STOPPING),
    PAUSED: (RUNNING, STOPPING),
    STOPPING: _ENDS,
    RETRYING: (STARTING, STOPPED, INACTIVE),
    STOPPED: (STARTING, INITIALIZING, INACTIVE),
}


def may_follow(before: str, after: str) -> bool:
    """Whether a channel may change so."""
    return after in FOLLOWERS[before]
