"""CONNAUTH: whether a connection has to show a password, and who it is afterwards.

The queue manager's CONNAUTH names an authentication information object. If that is of the type
IDPWOS, its CHCKLOCL (applications on this machine) or CHCKCLNT (clients) decides:

    NONE       a password is not looked at
    OPTIONAL   one that is given must be right
    REQUIRED   there must be one
    REQDADM    there must be one if the user is an administrator; else as OPTIONAL

With ADOPTCTX(YES) the connection is from then on that of the user whose password it was. After a
wrong one FAILDLAY seconds pass before the answer. Without such an object nothing is checked.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.base import constants as mq
from ternmq.base.object_types import IDPWOS
from ternmq.store.catalog import Catalog

PASS: Final = 0
CHECK: Final = 1
REFUSE: Final = 2

WORDS: Final[dict[int, str]] = {
    mq.MQCHK_NONE: "NONE",
    mq.MQCHK_OPTIONAL: "OPTIONAL",
    mq.MQCHK_REQUIRED: "REQUIRED",
    mq.MQCHK_REQUIRED_ADMIN: "REQDADM",
}


@final
class Authentication:
    """What the authentication information object in force says."""

    __slots__ = ("adopt_context", "check_clients", "check_local", "failure_delay_s")

    def __init__(
        self, check_local: int, check_clients: int, adopt_context: bool, failure_delay_s: int
    ) -> None:
        self.check_local = check_local  # MQCHK_
        self.check_clients = check_clients
        self.adopt_context = adopt_context
        self.failure_delay_s = failure_delay_s

    def mode(self, is_client: bool) -> int:
        """CHCKCLNT or CHCKLOCL."""
        return self.check_clients if is_client else self.check_local


NO_CHECK: Final = Authentication(mq.MQCHK_NONE, mq.MQCHK_NONE, False, 0)


def in_force(catalog: Catalog) -> Authentication:
    """What counts now."""
    name = str(catalog.qmgr.get("authentication", ""))
    definition = catalog.find(IDPWOS, name) if name else None
    if definition is None or definition.object_type != IDPWOS:
        return NO_CHECK
    return Authentication(
        definition.number("check_local"),
        definition.number("check_clients"),
        definition.number("adopt_context") != 0,
        definition.number("failure_delay_s"),
    )


def decide(mode: int, has_password: bool, is_administrator: bool) -> int:
    """PASS, CHECK or REFUSE, for a connection that brings a password or not.

    `is_administrator`: whether the user it would be without one is an administrator.
    """
    if mode == mq.MQCHK_NONE:
        return PASS
    if has_password:
        return CHECK
    if mode == mq.MQCHK_REQUIRED or (mode == mq.MQCHK_REQUIRED_ADMIN and is_administrator):
        return REFUSE
    return PASS
