"""crtmqm and dltmqm: a queue manager comes into being, and goes, by one rename.

It is made whole, with its default objects, in a folder with a name that no queue manager can have;
the rename to its own name is what creates it. Deleting begins with the opposite rename. A command
that is killed in between leaves a folder that the next command of the kind removes. A queue manager
that lives outside of the data folder (-md) exists by its stanza in mqs.ini, which is written last
and removed first.
"""

from __future__ import annotations

import os
from typing import Final

from ternmq.base.errors import mq_error
from ternmq.base.names import file_name, is_name, name_fault
from ternmq.base.reasons import MQRC_Q_MGR_NAME_ERROR
from ternmq.log.parameters import LogParameters
from ternmq.ports.os_disk import OsDisk, make_folders
from ternmq.remote.local.folder_lookup import LOCK_PATH
from ternmq.runtime.embedded import QueueManager
from ternmq.runtime.starting import start
from ternmq.server.folder import data_folder
from ternmq.server.folder.data_folder import CREATING, DELETING, QMGRS, Place
from ternmq.server.folder.developer import make_accounts, script
from ternmq.server.folder.installations import this_installation
from ternmq.server.folder.scripts import ScriptFailed, run_script
from ternmq.server.settings.queue_manager_ini import QUEUE_MANAGER_INI

KEY_FOLDER: Final = "ssl"  # the key repository, unless SSLKEYR names another
_FOLDER_MODE: Final = 0o710  # a group may pass through to the socket


class AlreadyThere(Exception):
    """There is a queue manager of that name."""


class BadLogPath(Exception):
    """The folder for the log cannot be used."""


class Creation:
    """What crtmqm was asked for."""

    def __init__(self, name: str, parameters: LogParameters) -> None:
        self.name = name
        self.parameters = parameters
        self.is_default = False
        self.dead_letter_queue = ""
        self.transmission_queue = ""
        self.description = ""
        self.limits: dict[str, int] = {}  # -h -t -x: numbers of the queue manager by their keywords
        self.log_folder = ""  # -ld: the log is in a folder of its own there
        self.data_folder = ""  # -md: the queue manager lives there
        self.port = 0  # -p: a listener that starts with the queue manager
        self.script_path = ""  # -ic: MQSC that each start runs
        self.ini_path = ""  # -ii: more of qm.ini
        self.security_policy = ""  # -oa
        self.developer = False

        # what came of it
        self.folder = ""
        self.installation = ""
        self.objects = 0
        self.warnings: list[str] = []


def create(data: str, asked: Creation) -> None:
    """Make a queue manager; `asked` then says what came of it."""
    if not is_name(asked.name):
        fault = name_fault(asked.name)
        raise mq_error(MQRC_Q_MGR_NAME_ERROR, verb="crtmqm", object=asked.name, detail=fault)
    data_folder.make_data_folder(data)
    with data_folder.locked(data):
        data_folder.sweep_leftovers(data)
        if any(place.name == asked.name for place in data_folder.places(data)):
            raise AlreadyThere(asked.name)
        asked.installation = this_installation(data).name
        home = asked.data_folder or os.path.join(data, QMGRS)
        make_folders(home)
        directory = file_name(asked.name)
        if asked.data_folder:
            directory = _free_name(home, directory)
        making = os.path.join(home, f"{CREATING}{directory}")
        if os.path.lexists(making):  # outside of the data folder nothing else sweeps
            data_folder.remove_folder(making)
        os.mkdir(making, 0o700)
        os.chmod(making, _FOLDER_MODE)
        try:
            _make(making, asked)
        except BaseException:
            data_folder.remove_folder(making)
            raise
        asked.folder = os.path.join(home, directory)
        data_folder.sync_folder(making)
        # ORDER: whole before it has its name
        os.rename(making, asked.folder)
        data_folder.sync_folder(home)
        data_path = asked.folder if asked.data_folder else ""
        data_folder.register(
            data, asked.name, directory, asked.installation, data_path, asked.is_default
        )


def _free_name(home: str, wanted: str) -> str:
    """The name, or the name with a number, of something that is not there."""
    name = wanted
    number = 0
    while os.path.lexists(os.path.join(home, name)):
        name = f"{wanted}.{number:03}"
        number += 1
    return name


def _make(folder: str, asked: Creation) -> None:
    """Everything that a queue manager has, in a folder."""
    log = os.path.join(folder, "log")
    log_path = log
    if asked.log_folder:
        log_path = _make_log_folder(asked)
        os.symlink(log_path, log)
    data_folder.replace_file(os.path.join(folder, QUEUE_MANAGER_INI), ini_text(asked, log_path))
    data_folder.make_errors_folder(folder)
    os.mkdir(os.path.join(folder, KEY_FOLDER), 0o700)
    disk = OsDisk(folder)
    try:
        if asked.developer:
            asked.warnings += make_accounts(disk)
        queue_manager = QueueManager(
            start(disk, asked.name, True, asked.parameters, None, "crtmqm")
        )
        try:
            _furnish(queue_manager, asked)
        finally:
            queue_manager.close()
    finally:
        disk.close()


def _make_log_folder(asked: Creation) -> str:
    try:
        make_folders(asked.log_folder)
        name = _free_name(asked.log_folder, file_name(asked.name))
        path = os.path.join(os.path.abspath(asked.log_folder), name)
        os.mkdir(path, 0o700)
        os.mkdir(os.path.join(path, "active"), 0o700)
    except OSError as error:
        raise BadLogPath(str(error)) from error
    return path


def _furnish(queue_manager: QueueManager, asked: Creation) -> None:
    """Default objects are there; now what was asked for."""
    catalog = queue_manager.started.shell.engine.kernel.catalog
    others = sum(len(space) for space in catalog.others.values())
    asked.objects = len(catalog.definitions) + others
    lines: list[str] = []
    if asked.dead_letter_queue:
        lines.append(f"ALTER QMGR DEADQ('{asked.dead_letter_queue}')")
    if asked.transmission_queue:
        lines.append(f"ALTER QMGR DEFXMITQ('{asked.transmission_queue}')")
    if asked.description:
        quoted = asked.description.replace("'", "''")
        lines.append(f"ALTER QMGR DESCR('{quoted}')")
    for keyword, number in asked.limits.items():
        lines.append(f"ALTER QMGR {keyword}({number})")
    if asked.port:
        lines.append(
            "DEFINE LISTENER('SYSTEM.LISTENER.TCP.1') TRPTYPE(TCP) CONTROL(QMGR) "
            f"PORT({asked.port}) REPLACE"
        )
    if asked.developer:
        lines += script()
    failed = run_script(queue_manager, lines)
    if failed:
        raise ScriptFailed(failed[0])


def ini_text(asked: Creation, log_path: str) -> str:
    """qm.ini of a new queue manager."""
    parameters = asked.parameters
    kind = "LINEAR" if parameters.is_linear else "CIRCULAR"
    lines = [
        f"# qm.ini of queue manager {asked.name}; docs/operations/running.md explains it",
        "Log:",
        f"   LogPrimaryFiles={parameters.primary}",
        f"   LogSecondaryFiles={parameters.secondary}",
        f"   LogFilePages={parameters.pages}",
        f"   LogType={kind}",
    ]
    if asked.log_folder:
        lines.append(f"   LogPath={log_path}")
    if parameters.is_dual:
        lines.append("   Copies=2")
    if asked.security_policy:
        lines += ["Service:", "   Name=AuthorizationService"]
        lines.append(f"   SecurityPolicy={asked.security_policy}")
    if asked.script_path or asked.ini_path:
        lines.append("AutoConfig:")
        if asked.script_path:
            lines.append(f"   MQSCConfig={os.path.abspath(asked.script_path)}")
        if asked.ini_path:
            lines.append(f"   IniConfig={os.path.abspath(asked.ini_path)}")
    return "".join(f"{line}\n" for line in lines)


def delete(data: str, place: Place) -> None:
    """Remove a queue manager. Its lock is held meanwhile: DiskLocked if a process runs it, and
    no process can start it while it is removed."""
    with data_folder.locked(data):
        disk = OsDisk(place.folder)
        try:
            lock = disk.lock(LOCK_PATH)
            try:
                _remove(data, place)
            finally:
                lock.release()
        finally:
            disk.close()
        data_folder.sweep_leftovers(data)


def _remove(data: str, place: Place) -> None:
    if place.data_path:
        # ORDER: it is gone when its stanza is; its files follow
        data_folder.unregister(data, place.name)
        data_folder.remove_folder(place.folder)
        return
    home, name = os.path.split(place.folder)
    going = os.path.join(home, f"{DELETING}{name}")
    if os.path.lexists(going):
        data_folder.remove_folder(going)
    os.rename(place.folder, going)
    data_folder.sync_folder(home)
    # ORDER: files before the stanza, whose new file needs room on a disk that may be full. A
    # stanza without a folder means nothing.
    data_folder.remove_folder(going)
    data_folder.unregister(data, place.name)
