"""The names of constants by their numbers, `CMQSTRC.MQRC_DICT[2033]`, a dictionary a group."""

from typing import Any, Final

from ternmq.compat.constant_names import IBMMQ_ALL

_SUFFIX: Final = "_DICT"


def __getattr__(name: str) -> Any:
    prefix = f"{name.removesuffix(_SUFFIX)}_"
    found = {
        value: constant
        for constant, value in IBMMQ_ALL.items()
        if constant.startswith(prefix) and isinstance(value, int)
    }
    if not name.endswith(_SUFFIX) or not found:
        raise AttributeError(
            f"module {__name__!r} has no attribute {name!r}: there is no such group of constants"
        )
    globals()[name] = found  # so that it is made once
    return found
