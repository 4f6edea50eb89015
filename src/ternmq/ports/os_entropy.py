"""The entropy port on the operating system's generator."""

from __future__ import annotations

import os
from typing import final

from ternmq.ports.entropy import Entropy


@final
class OsEntropy(Entropy):
    """Bytes fit for keys and identities."""

    def bytes(self, count: int) -> bytes:
        return os.urandom(count)
