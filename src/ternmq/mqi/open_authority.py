"""Authority that each open option asks for, as setmqaut names it: for the reference page."""

from __future__ import annotations

from typing import Final

from ternmq.base import constants as mq
from ternmq.kernel.authority import OPEN_NEEDS
from ternmq.security.authorities import words

OPEN_AUTHORITY: Final[dict[int, str]] = {
    option: " ".join(words(bits)) for option, bits in OPEN_NEEDS.items()
}
OPEN_AUTHORITY[mq.MQOO_ALTERNATE_USER_AUTHORITY] = "altusr"
