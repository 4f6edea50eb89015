"""Changes to the data folder: mqs.ini, the lock around them, and what dead commands left behind.

Finding things is in `remote/local/folder_lookup`, whose names are here too, so that commands need
one module. A file is changed by writing a new one and renaming it over the old one: a process that
dies in the middle leaves the old one.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
from collections.abc import Iterator
from typing import Final

from ternmq.base.ini import IniFile
from ternmq.base.names import file_name, is_name
from ternmq.ports.disk import FULL_ERRORS
from ternmq.ports.os_disk import make_folders
from ternmq.remote.local.folder_lookup import (
    MACHINE_INI,
    QMGRS,
    Place,
    data_folder,
    default_name,
    find,
    machine_ini,
    places,
    read_ini,
    socket_path,
)

__all__ = [
    "MACHINE_INI",
    "QMGRS",
    "Place",
    "data_folder",
    "default_name",
    "find",
    "is_being_created",
    "locked",
    "machine_ini",
    "make_data_folder",
    "make_errors_folder",
    "places",
    "read_ini",
    "register",
    "remove_folder",
    "replace_file",
    "socket_path",
    "sweep_leftovers",
    "sync_folder",
    "unregister",
    "write_ini",
]

LOCK: Final = "mqs.lock"
CREATING: Final = ".creating-"  # no file name of an object begins with a dot
DELETING: Final = ".deleting-"
_ERRORS_MODE: Final = 0o755
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


def make_errors_folder(folder: str) -> str:
    """Where a queue manager's error logs are; whatever the umask lets through, others only read."""
    path = os.path.join(folder, "errors")
    make_folders(path, _ERRORS_MODE)
    return path


def make_data_folder(data: str) -> None:
    """The folder and what is always in it. Others may pass through to a socket, not look around."""
    make_folders(data)
    for name, mode in ((QMGRS, 0o711), ("errors", 0o755)):
        path = os.path.join(data, name)
        if not os.path.isdir(path):
            make_folders(path, mode)
            os.chmod(path, mode)
    sync_folder(data)


@contextlib.contextmanager
def locked(data: str, wait: bool = True) -> Iterator[None]:
    """One command at a time changes the data folder. BlockingIOError if it is not to wait."""
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
    # A user that can read a file can lock it, and keep all commands waiting.
    descriptor = os.open(os.path.join(data, LOCK), flags, 0o600)
    try:
        with contextlib.suppress(PermissionError):  # made with another mode, by another user
            os.fchmod(descriptor, 0o600)
        fcntl.flock(descriptor, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)


def sync_folder(path: str) -> None:
    """Force the names in a folder."""
    folder = os.open(path, _FOLDER)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def replace_file(path: str, text: str, mode: int = 0o644) -> None:
    """Replace a file: afterwards it is whole, the old one or this."""
    temporary = f"{path}.new"
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW
    descriptor = os.open(temporary, flags, mode)
    try:
        os.fchmod(descriptor, mode)
        _write_all(descriptor, text.encode())
    except OSError as error:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise OSError(error.errno, error.strerror, temporary) from None
    finally:
        os.close(descriptor)
    # ORDER: the content before the name
    os.rename(temporary, path)
    sync_folder(os.path.dirname(path))


def _write_all(descriptor: int, data: bytes) -> None:
    """All of it, forced."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
    os.fsync(descriptor)


def shorten_file(path: str, text: str) -> None:
    """Write a shorter text: in a new file, or where the disk is too full for that, in place."""
    try:
        replace_file(path, text)
    except OSError as error:
        if error.errno not in FULL_ERRORS:
            raise
        descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
        try:
            data = text.encode()
            _write_all(descriptor, data)
            os.ftruncate(descriptor, len(data))
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def write_ini(ini: IniFile) -> None:
    """Write a configuration file to where it came from."""
    replace_file(ini.file, ini.text())


# ---- mqs.ini, under the lock


def register(
    data: str, name: str, directory: str, installation: str, data_path: str, default: bool
) -> None:
    """Write a queue manager into mqs.ini; it may stand there already."""
    ini = machine_ini(data)
    if ini.first("AllQueueManagers") is None:
        ini.add("AllQueueManagers", {"DefaultPrefix": data})
    stanza = ini.where("QueueManager", "Name", name)
    if stanza is not None:
        ini.remove(stanza)
    values = {
        "Name": name,
        "Prefix": data,
        "Directory": directory,
        "InstallationName": installation,
    }
    if data_path:
        values["DataPath"] = data_path
    ini.add("QueueManager", values)
    if default:
        set_default(ini, name)
    write_ini(ini)


def set_default(ini: IniFile, name: str) -> None:
    """Make a queue manager the default one."""
    stanza = ini.first("DefaultQueueManager")
    if stanza is None:
        ini.add("DefaultQueueManager", {"Name": name})
    else:
        ini.set(stanza, "Name", name)


def unregister(data: str, name: str) -> bool:
    """Take a queue manager out of mqs.ini; False if it did not stand there."""
    ini = machine_ini(data)
    stanza = ini.where("QueueManager", "Name", name)
    default = ini.first("DefaultQueueManager")
    if default is not None and default.get("Name") == name:
        ini.remove(default)
        stanza = ini.where("QueueManager", "Name", name)
        if stanza is None:
            shorten_file(ini.file, ini.text())
    if stanza is None:
        return False
    ini.remove(stanza)
    shorten_file(ini.file, ini.text())
    return True


def is_being_created(data: str, name: str) -> bool:
    """Whether a crtmqm is at work on it right now."""
    if not is_name(name):
        return False
    if not os.path.isdir(os.path.join(data, QMGRS, f"{CREATING}{file_name(name)}")):
        return False
    try:
        with locked(data, wait=False):
            return False  # what is there was left by one that died
    except BlockingIOError:
        return True


# ---- what is left of commands that died, under the lock


def sweep_leftovers(data: str) -> list[str]:
    """Remove what crtmqm and dltmqm did not finish; the names that were removed."""
    folder = os.path.join(data, QMGRS)
    swept = [name for name in os.listdir(folder) if name.startswith((CREATING, DELETING))]
    for name in swept:
        remove_folder(os.path.join(folder, name))
    return swept


def remove_folder(path: str) -> None:
    """Remove a queue manager's folder and its log, which may be elsewhere, behind a link."""
    log = os.path.join(path, "log")
    if os.path.islink(log):
        target = os.path.realpath(log)
        if os.path.isdir(os.path.join(target, "active")):  # made by crtmqm, not led elsewhere
            shutil.rmtree(target)
    shutil.rmtree(path)
