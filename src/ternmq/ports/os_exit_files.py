"""Python files of exits: where they are, which may be loaded, and the functions in them.

The code of an exit runs in the queue manager's process, so its folder and its file must belong to
the queue manager's user or to root, and nobody else may write to them. A channel names an exit
`file(function)` or `file:function`, the file without .py, in the folder for exits or with its path.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable
from types import ModuleType
from typing import Any, Final

from ternmq.base.ini import IniFile

FOLDER: Final = "exits"
SUFFIX: Final = ".py"
_NAME: Final = re.compile(r"(?P<file>[^():]+?)\s*(?:\(\s*(?P<one>\w+)\s*\)|:\s*(?P<other>\w+))")


class NotUsable(Exception):
    """A file, or a function in it, that is not loaded: why."""


def exits_folder(ini: IniFile, folder: str) -> str:
    """The folder that qm.ini names; else the folder `exits` in the queue manager's own."""
    return exits_path(ini) or os.path.join(folder, FOLDER)


def exits_path(ini: IniFile) -> str:
    """ExitsDefaultPath64 or ExitsDefaultPath of the ExitPath stanza of qm.ini; "" without them."""
    stanza = ini.first("ExitPath")
    if stanza is None:
        return ""
    return stanza.get("ExitsDefaultPath64") or stanza.get("ExitsDefaultPath")


def load_module(path: str) -> ModuleType:
    """Run a file that may be run; its names are those of a module."""
    try:
        folder = os.path.dirname(path)
        _check_owner(os.stat(folder), folder)
        source = _source(path)
    except OSError as error:
        raise NotUsable(str(error)) from error
    module = ModuleType("ternmq_exit_" + os.path.basename(path).removesuffix(SUFFIX))
    module.__file__ = path
    try:
        exec(compile(source, path, "exec"), module.__dict__)
    except (Exception, SystemExit) as raised:  # whatever is wrong with it, the queue manager runs
        raise NotUsable(f"{type(raised).__name__}: {raised}") from raised
    return module


def _source(path: str) -> bytes:
    """What is in the file; what is checked is what is read. A pipe is not waited for."""
    opened = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        status = os.fstat(opened)
        if not stat.S_ISREG(status.st_mode):
            raise NotUsable("it is not a file")
        _check_owner(status, path)
        with open(opened, "rb", closefd=False) as file:
            return file.read()
    finally:
        os.close(opened)


def _check_owner(status: os.stat_result, path: str) -> None:
    """Code that others can change is not run."""
    if status.st_uid not in (0, os.getuid()):
        detail = f"{path} belongs to user {status.st_uid}, not to the queue manager's: chown it"
        raise NotUsable(detail)
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        mode = stat.S_IMODE(status.st_mode)
        raise NotUsable(f"others may write to {path} (mode {mode:o}): chmod go-w it")


class ExitFiles:
    """The functions of channel exits. A file is run once, and again when it has changed."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self._loaded: dict[str, tuple[tuple[int, int], ModuleType]] = {}

    def function(self, name: str) -> Callable[..., Any]:
        """The function that a channel names; NotUsable if it cannot be used."""
        found = _NAME.fullmatch(name.strip())
        if found is None:
            raise NotUsable("an exit is named file(function) or file:function")
        path = os.path.join(self.folder, found["file"].removesuffix(SUFFIX) + SUFFIX)
        module = self._module(path)
        function: Callable[..., Any] | None = getattr(
            module, found["one"] or found["other"] or "", None
        )
        if function is None or not callable(function):
            raise NotUsable(f"{path} has no function {found['one'] or found['other']}")
        return function

    def _module(self, path: str) -> ModuleType:
        try:
            status = os.stat(path)
        except OSError as error:
            raise NotUsable(str(error)) from error
        version = (status.st_mtime_ns, status.st_size)
        loaded = self._loaded.get(path)
        if loaded is not None and loaded[0] == version:
            return loaded[1]
        module = load_module(path)
        self._loaded[path] = (version, module)
        return module
