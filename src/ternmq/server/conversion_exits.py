"""Data-conversion exits of a running queue manager: Python files in the folder for exits.

A file has the name of a format, as MYFMT.py, and a function `convert` (`conversion_service` says
what it gets and returns). They are loaded when the queue manager starts. Their code runs in the
queue manager's process, so the folder and the file must belong to its user or to root, and nobody
else may write to them; a file of others is left out, and the error log says so.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from types import ModuleType
from typing import Final

from ternmq.base.errors import MQError
from ternmq.base.ini import IniFile
from ternmq.codec.conversion_service import ConversionExit, ConversionService

FOLDER: Final = "exits"
_SUFFIX: Final = ".py"
_LOAD_FAILED: Final = "AMQ6175E"


def exits_folder(ini: IniFile, folder: str) -> str:
    """ExitsDefaultPath64 or ExitsDefaultPath of the ExitPath stanza of qm.ini; without them the
    folder `exits` in the queue manager's own."""
    stanza = ini.first("ExitPath")
    path = ""
    if stanza is not None:
        path = stanza.get("ExitsDefaultPath64") or stanza.get("ExitsDefaultPath")
    return path or os.path.join(folder, FOLDER)


def load_exits(
    folder: str, service: ConversionService, log_message: Callable[[str, str, str], None]
) -> None:
    """Load what is in the folder; what cannot be loaded is reported, and stops nothing."""
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return  # most queue managers have none
    for name in names:
        if not name.endswith(_SUFFIX) or name.startswith("_"):
            continue
        path = os.path.join(folder, name)
        try:
            service.add(name.removesuffix(_SUFFIX), _load(folder, path))
        except (_NotUsable, MQError) as error:
            log_message(_LOAD_FAILED, path, str(error))


class _NotUsable(Exception):
    """A file that is not loaded."""


def _load(folder: str, path: str) -> ConversionExit:
    try:
        _check_owner(os.stat(folder), folder)
        source = _source(path)
    except OSError as error:
        raise _NotUsable(str(error)) from error
    module = ModuleType("ternmq_exit_" + os.path.basename(path).removesuffix(_SUFFIX))
    module.__file__ = path
    try:
        exec(compile(source, path, "exec"), module.__dict__)
    except (Exception, SystemExit) as error:  # whatever is wrong with it, the queue manager starts
        raise _NotUsable(f"{type(error).__name__}: {error}") from error
    found: ConversionExit | None = getattr(module, "convert", None)
    if found is None or not callable(found):
        raise _NotUsable("it has no function convert(mqdxp)")
    return found


def _source(path: str) -> bytes:
    """What is in the file; what is checked is what is read. A pipe is not waited for."""
    opened = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        status = os.fstat(opened)
        if not stat.S_ISREG(status.st_mode):
            raise _NotUsable("it is not a file")
        _check_owner(status, path)
        with open(opened, "rb", closefd=False) as file:
            return file.read()
    finally:
        os.close(opened)


def _check_owner(status: os.stat_result, path: str) -> None:
    """Code that others can change is not run."""
    if status.st_uid not in (0, os.getuid()):
        detail = f"{path} belongs to user {status.st_uid}, not to the queue manager's: chown it"
        raise _NotUsable(detail)
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        mode = stat.S_IMODE(status.st_mode)
        raise _NotUsable(f"others may write to {path} (mode {mode:o}): chmod go-w it")
