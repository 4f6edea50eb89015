"""The constants of installable services, as programs find them in pymqi.CMQZC."""

from typing import Any

from ternmq.compat.constant_names import SERVICE

globals().update(SERVICE)


def __getattr__(name: str) -> Any:
    raise AttributeError(
        f"module {__name__!r} has no attribute {name!r}: the header of installable services has no"
        " such constant"
    )
