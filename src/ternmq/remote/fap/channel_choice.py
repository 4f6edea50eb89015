"""Which channel to connect by: what the application gave, else MQSERVER, else the CCDT.

A name of a queue manager is looked for among the definitions of the CCDT by their QMNAME:

    QM1     definitions for QM1; the queue manager must be QM1
    *GRP    definitions for GRP; whichever queue manager answers will do
    * or "" definitions without a name; whichever answers

Those with CLNTWGHT(0) come first, by name; the others by chance according to their weights. With
AFFINITY(PREFERRED) a process keeps to the order it found first, but one that failed goes to the
end; with NONE every connection draws again.
"""

from __future__ import annotations

import random
import threading
from typing import Final

from ternmq.base.errors import mq_error
from ternmq.base.reasons import MQRC_Q_MGR_NAME_ERROR
from ternmq.remote.fap.client_channel import ClientChannel

ANY: Final = "*"


def asked_name(qmgr_name: str) -> str:
    """What MQCONN asks for: nothing, if any queue manager of a group will do."""
    return "" if qmgr_name.startswith(ANY) else qmgr_name


def matching(channels: list[ClientChannel], qmgr_name: str, source: str) -> list[ClientChannel]:
    """The definitions that a name means."""
    group = qmgr_name.lstrip(ANY) if qmgr_name.startswith(ANY) else qmgr_name
    found = [one for one in channels if one.qmgr_name == group]
    if not found:
        detail = f"no definition for it in the CCDT {source}"
        raise mq_error(MQRC_Q_MGR_NAME_ERROR, verb="MQCONN", object=qmgr_name, detail=detail)
    return found


def drawn(channels: list[ClientChannel], chance: random.Random) -> list[ClientChannel]:
    """The order to try them in."""
    order = sorted((one for one in channels if not one.weight), key=lambda one: one.name)
    rest = [one for one in channels if one.weight]
    while rest:
        one = chance.choices(rest, [row.weight for row in rest])[0]
        rest.remove(one)
        order.append(one)
    return order


class Choices:
    """The orders that this process keeps to."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._lock = threading.Lock()
        self._kept: dict[tuple[str, tuple[ClientChannel, ...]], list[ClientChannel]] = {}

    def order(self, qmgr_name: str, channels: list[ClientChannel]) -> list[ClientChannel]:
        """The order to try them in this time."""
        if not all(one.is_affine for one in channels):
            return drawn(channels, self._chance)
        key = (qmgr_name, tuple(channels))
        with self._lock:
            kept = self._kept.get(key)
            if kept is None:
                kept = self._kept[key] = drawn(channels, self._chance)
            return list(kept)

    def failed(self, qmgr_name: str, channels: list[ClientChannel], one: ClientChannel) -> None:
        """A definition did not lead anywhere: others come before it from now on."""
        with self._lock:
            kept = self._kept.get((qmgr_name, tuple(channels)))
            if kept is not None and one.weight and one in kept:
                kept.remove(one)
                kept.append(one)


CHOICES: Final = Choices(random.SystemRandom())
