"""The data folder, and what is in it: where queue managers live, and how to reach a running one.

    <data>/mqs.ini                  the queue managers: name, folder, installation; the default one
    <data>/mqinst.ini               the installations that share the folder
    <data>/qmgrs/<file name>/       a queue manager: qm.ini, log, queues, errors, its socket

Only reading, for applications and commands alike; `server/folder/data_folder` writes. A queue
manager that stands in mqs.ini without a folder, or has a folder there without standing in it, comes
from a command or a program that ended half way or needed no register: the folder decides.
"""

from __future__ import annotations

import os
import sys
from typing import Final, NamedTuple

from ternmq.base.errors import MQError, mq_error
from ternmq.base.ini import IniError, IniFile
from ternmq.base.limits import SOCKET_PATH_BYTES_MAX
from ternmq.base.names import file_name, is_name, name_of_file
from ternmq.base.reasons import (
    MQRC_Q_MGR_NAME_ERROR,
    MQRC_Q_MGR_NOT_AVAILABLE,
    MQRC_RESOURCE_PROBLEM,
)
from ternmq.ports.disk import is_passing

MACHINE_INI: Final = "mqs.ini"
QMGRS: Final = "qmgrs"
LOCK_PATH: Final = "lock"  # in a queue manager's folder: its process holds this
SOCKET: Final = "local.sock"
SOCKET_POINTER: Final = "local.sock.path"  # where the socket is, if its own path would be too long
_VARIABLES: Final = ("TERNMQ_DATA", "MQ_OVERRIDE_DATA_PATH")


class Place(NamedTuple):
    """Where a queue manager lives."""

    name: str
    folder: str
    installation: str = ""  # "" if mqs.ini does not say
    data_path: str = ""  # of its stanza, if it lives outside of the data folder
    line: int = 0  # of its stanza; 0 if it has none


def data_folder() -> str:
    """TERNMQ_DATA, else MQ_OVERRIDE_DATA_PATH, else the user's data folder by the platform's
    convention."""
    for variable in _VARIABLES:
        given = os.environ.get(variable, "")
        if given:
            return os.path.abspath(given)
    home = os.path.expanduser("~")
    if sys.platform == "darwin":
        return os.path.join(home, "Library", "Application Support", "ternmq")
    given = os.environ.get("XDG_DATA_HOME", "")
    base = given if os.path.isabs(given) else os.path.join(home, ".local", "share")
    return os.path.join(base, "ternmq")


def machine_ini(data: str) -> IniFile:
    """mqs.ini; empty if there is none."""
    return read_ini(os.path.join(data, MACHINE_INI))


def read_ini(path: str) -> IniFile:
    """A configuration file; empty if there is none."""
    try:
        with open(path, encoding="utf-8") as file:
            return IniFile(file.read(), path)
    except FileNotFoundError:
        return IniFile("", path)
    except UnicodeDecodeError as error:
        raise IniError(path, 0, f"not UTF-8: {error}") from error


def places(data: str) -> list[Place]:
    """All queue managers, by name."""
    found = {place.name: place for place in _registered(data) if os.path.isdir(place.folder)}
    folder = os.path.join(data, QMGRS)
    try:
        entries = os.listdir(folder)
    except FileNotFoundError:
        entries = []
    known = {os.path.basename(place.folder) for place in found.values() if not place.data_path}
    for entry in entries:
        name = name_of_file(entry)
        if name is not None and entry not in known and name not in found:
            if os.path.isdir(os.path.join(folder, entry)):
                found[name] = Place(name, os.path.join(folder, entry))
    return [found[name] for name in sorted(found)]


def _registered(data: str) -> list[Place]:
    """What mqs.ini says."""
    ini = machine_ini(data)
    found: list[Place] = []
    for stanza in ini.all("QueueManager"):
        name = stanza.get("Name")
        if not is_name(name):
            raise IniError(ini.file, stanza.line, f"Name={name} is not a queue manager name")
        data_path = stanza.get("DataPath")
        directory = stanza.get("Directory") or file_name(name)
        if os.sep in directory or directory in (".", ".."):
            line = stanza.line_of("Directory")
            raise IniError(ini.file, line, f"Directory={directory} is not a folder name")
        # Prefix is not looked at: in a copy of a data folder it would lead to the original.
        folder = data_path or os.path.join(data, QMGRS, directory)
        found.append(
            Place(name, folder, stanza.get("InstallationName"), data_path, int(stanza.line))
        )
    return found


def default_name(data: str) -> str:
    """The default queue manager; "" if there is none."""
    stanza = machine_ini(data).first("DefaultQueueManager")
    return "" if stanza is None else stanza.get("Name")


def find(data: str, name: str, verb: str = "MQCONN") -> Place:
    """A queue manager by its name; MQRC_Q_MGR_NAME_ERROR if there is none."""
    wanted = name or default_name(data)
    if not wanted:
        raise mq_error(
            MQRC_Q_MGR_NAME_ERROR,
            verb=verb,
            detail=f"no default queue manager in {data}, name one; dspmq lists them",
        )
    known = places(data)
    for place in known:
        if place.name == wanted:
            return place
    from ternmq.base.similar import did_you_mean  # few make a mistake

    hint = did_you_mean(wanted, [place.name for place in known])
    detail = (
        f"there is none in {data}. {hint or 'dspmq lists those that exist, crtmqm creates one.'}"
    )
    raise mq_error(MQRC_Q_MGR_NAME_ERROR, verb=verb, object=wanted, detail=detail)


def place_to_connect(data: str | os.PathLike[str] | None, name: str) -> Place:
    """The queue manager that an application asks for. Whatever is wrong with the folder, it gets
    a reason of MQCONN."""
    folder = data_folder() if data is None else os.fspath(data)
    try:
        return find(folder, name)
    except (OSError, IniError) as error:
        raise cannot_connect(name, error) from error


def cannot_connect(name: str, error: Exception) -> MQError:
    """What MQCONN answers when the system refuses something on the way to a queue manager."""
    reason = MQRC_Q_MGR_NOT_AVAILABLE
    if isinstance(error, OSError) and is_passing(error):
        reason = MQRC_RESOURCE_PROBLEM  # of this process: descriptors, memory
    detail = f"it cannot be reached: {error}"
    if isinstance(error, PermissionError):
        detail += ", ask the owner of the folder for access, or name another one by TERNMQ_DATA"
    return mq_error(reason, verb="MQCONN", object=name, detail=detail)


def socket_path(folder: str) -> str:
    """Where applications reach the queue manager of this folder."""
    path = os.path.join(folder, SOCKET)
    if len(os.fsencode(path)) <= SOCKET_PATH_BYTES_MAX:
        return path
    try:
        with open(os.path.join(folder, SOCKET_POINTER), encoding="utf-8") as file:
            return file.read().rstrip("\n")
    except FileNotFoundError:
        return path
