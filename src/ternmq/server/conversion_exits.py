"""Data-conversion exits of a running queue manager: Python files in the folder for exits.

A file has the name of a format, as MYFMT.py, and a function `convert` (`conversion_service` says
what it gets and returns). They are loaded when the queue manager starts. A file that may not be
loaded (`exit_files`) is left out, and the error log says so. Files of channel exits may be in the
same folder: a function whose first argument is `mqcxp` shows that.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from types import CodeType, ModuleType
from typing import Final

from ternmq.base.errors import MQError
from ternmq.codec.conversion_service import ConversionExit, ConversionService
from ternmq.ports.os_exit_files import SUFFIX, NotUsable, load_module

_LOAD_FAILED: Final = "AMQ6175E"
_CHANNEL_ARGUMENT: Final = "mqcxp"


def load_exits(
    folder: str, service: ConversionService, log_message: Callable[[str, str, str], None]
) -> None:
    """Load what is in the folder; what cannot be loaded is reported, and stops nothing."""
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return  # most queue managers have none
    for name in names:
        if not name.endswith(SUFFIX) or name.startswith("_"):
            continue
        path = os.path.join(folder, name)
        try:
            module = load_module(path)
            found: ConversionExit | None = getattr(module, "convert", None)
            if found is not None and callable(found):
                service.add(name.removesuffix(SUFFIX), found)
            elif not _has_channel_exit(module):
                raise NotUsable("it has no function convert(mqdxp)")
        except (NotUsable, MQError) as error:
            log_message(_LOAD_FAILED, path, str(error))


def _has_channel_exit(module: ModuleType) -> bool:
    codes = [getattr(one, "__code__", None) for one in vars(module).values()]
    return any(
        isinstance(code, CodeType) and code.co_varnames[:1] == (_CHANNEL_ARGUMENT,)
        for code in codes
    )
