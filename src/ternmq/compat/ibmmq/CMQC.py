"""The constants of MQ's C headers, as programs find them in ibmmq.CMQC."""

from typing import Any

from ternmq.compat.constant_names import IBMMQ_ALL

globals().update(IBMMQ_ALL)


def __getattr__(name: str) -> Any:
    raise AttributeError(
        f"module {__name__!r} has no attribute {name!r}: MQ's headers have no such constant"
    )
