"""Adoption: a partner calls a channel that runs for it already, or so it seems here.

Its end of the channel has failed, then, and this end does not know yet. AdoptNewMCA in qm.ini names
the types of channels whose old instance is ended for the new one, AdoptNewMCACheck what must be the
same of both: the name of the channel always is; QM is the partner queue manager, ADDRESS its
address. AdoptNewMCATimeout is how long the new call waits for the old instance to end. Without
adoption, and where the checks differ, the new call is refused: the channel is in use.

An instance for another partner queue manager is not the same: a receiver runs once for each.
"""

from __future__ import annotations

from typing import Final

from ternmq.base.object_types import CLUSRCVR, RECEIVER, REQUESTER, SENDER, SERVER
from ternmq.network.edge.network_settings import NetworkSettings

_WORDS: Final[dict[int, str]] = {
    RECEIVER: "RCVR",
    REQUESTER: "RCVR",  # as it receives
    SENDER: "SDR",
    SERVER: "SVR",
    CLUSRCVR: "CLUSRCVR",
}


def may_adopt(
    settings: NetworkSettings,
    object_type: int,
    old: tuple[str, str],
    new: tuple[str, str],
) -> bool:
    """Whether a new call ends an old instance: queue manager and address of the partner of each."""
    if _WORDS.get(object_type, "") not in settings.adopts:
        return False
    checks = settings.adopt_checks
    if "QM" in checks and old[0] != new[0]:
        return False
    return "ADDRESS" not in checks or old[1] == new[1]
