"""Runs a control command again and again, killed at its n-th call that changes the disk.

`python -m tests.crash.command_kills COMMAND FOLDER POINT...`: each point is a forked child that
kills itself with SIGKILL just before that call; with point 0 nothing is killed and the number of
calls is told. After each point the parent looks: the queue manager must be there, whole, or not at
all, and the command given again must work. One line of JSON a point.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ternmq
from ternmq.base.names import file_name
from ternmq.cli.__main__ import main as ternmq_main
from ternmq.ports.os_disk import OsDisk
from ternmq.remote.local.folder_lookup import find, machine_ini, places
from ternmq.security.password_file import read_accounts
from ternmq.server.folder.status_file import status_of
from ternmq.server.process import Process
from tests.battery.places import until

CHANGING = (
    "open", "mkdir", "rename", "unlink", "rmdir", "symlink", "chmod", "fchmod", "fsync",
    "fdatasync", "pwrite", "pwritev", "ftruncate", "replace",
)  # fmt: skip
# What strmqm and endmqm do besides: they start a process, and speak to one.
SPEAKING = ((socket.socket, "connect"), (socket.socket, "sendall"), (subprocess, "Popen"))
NAME = "KILL.QM"
SMALL_LOG = ["-lp", "2", "-ls", "1", "-lf", "32"]
OBJECTS = "QUEUE.OF.MINE"


class Counter:
    """Counts the calls of this process and dies at one of them."""

    def __init__(self, fatal: int) -> None:
        self.calls = 0
        self.fatal = fatal
        for name in CHANGING:
            setattr(os, name, self._counted(getattr(os, name), False))
        for place, name in SPEAKING:
            setattr(place, name, self._counted(getattr(place, name), True))

    def _count(self) -> None:
        self.calls += 1
        if self.calls == self.fatal:
            os.kill(os.getpid(), signal.SIGKILL)

    def _counted(self, function: Callable[..., Any], also_after: bool) -> Callable[..., Any]:
        def counted(*args: Any, **options: Any) -> Any:
            self._count()
            result = function(*args, **options)
            if also_after:  # what it asked for happens without it
                self._count()
            return result

        return counted


def killed(point: int, work: Callable[[], int]) -> dict[str, Any]:
    """A child that does the work and dies at the point; how it ended."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        status = 99
        try:
            os.close(reading)
            silence = os.open(os.devnull, os.O_WRONLY)
            os.dup2(silence, 1)
            counter = Counter(point)
            status = work()
            os.write(writing, b"%d" % counter.calls)
        finally:
            os._exit(status)
    os.close(writing)
    with open(reading, "rb") as reported:
        calls = reported.read()
    _, ended = os.waitpid(child, 0)
    return {
        "point": point,
        "killed": os.WIFSIGNALED(ended),
        "status": os.WEXITSTATUS(ended) if os.WIFEXITED(ended) else -1,
        "calls": int(calls or 0),
    }


def create() -> int:
    return ternmq_main(["crtmqm", "-c", "made whole", *SMALL_LOG, NAME])


def delete() -> int:
    return ternmq_main(["dltmqm", NAME])


def live() -> int:
    """Start, be up, end: the life of strmqm's process up to endmqm -i."""
    process = Process(find(os.environ["TERNMQ_DATA"], NAME), lambda line: None, False)
    started = process.start()

    def up() -> None:
        os.kill(os.getpid(), signal.SIGTERM)

    process.serve(started, up)
    return 0


def is_there(data: Path) -> bool:
    return any(place.name == NAME for place in places(str(data)))


def is_whole(data: Path) -> bool:
    """Every part of it can be used, and it is what was asked for."""
    with ternmq.embedded(data, NAME) as qmgr:
        return (
            qmgr.qmgr_attributes()["description"] == "made whole"
            and len(qmgr.queue_names()) > 10
            and qmgr.put("SYSTEM.DEFAULT.LOCAL.QUEUE", "x") != b""
        )


def only_own_files(data: Path) -> bool:
    """Nothing of a dead command is left."""
    return [name for name in os.listdir(data / "qmgrs") if name.startswith(".")] == []


def after_create(data: Path) -> str:
    """What was found, and whether the command works now."""
    found = "new" if is_there(data) else "old"
    if found == "old":
        if create() != 0:
            return "crtmqm does not work any more"
    elif create() != 8:
        return "crtmqm does not see what is there"
    if not is_whole(data) or not only_own_files(data):
        return "half"
    return found


def after_delete(data: Path) -> str:
    found = "old" if is_there(data) else "new"
    if found == "old" and not is_whole(data):
        return "half"
    if delete() != (0 if found == "old" else 16):
        return "dltmqm does not work any more"
    if is_there(data) or create() != 0 or not is_whole(data) or not only_own_files(data):
        return "something is left"
    return found


def after_life(data: Path) -> str:
    state = status_of(str(data / "qmgrs" / file_name(NAME))).state
    with ternmq.embedded(data, NAME) as qmgr, qmgr.queue(OBJECTS) as queue:
        kept = [message.text for message in queue.browse()] == ["kept"]
    return state if kept else "the message is gone"


# ---- strmqm and endmqm themselves: the queue manager runs or it does not, and is whole


def start() -> int:
    return ternmq_main(["strmqm", NAME])


def end() -> int:
    return ternmq_main(["endmqm", "-i", NAME])


def prepare_start(data: Path) -> None:
    """Also out of mqs.ini: strmqm enters it."""
    prepare_life(data)
    remove()


def start_before(data: Path) -> None:
    start()


def is_up(data: Path) -> bool:
    return status_of(str(data / "qmgrs" / file_name(NAME))).is_up


def ended(data: Path) -> str:
    """End what runs; nothing if it is as it was."""
    if end() not in (0, 40):
        return "endmqm does not work any more"
    until(lambda: not is_up(data))
    state = after_life(data)
    return "" if state == "Ended immediately" and is_registered(data) else state


def servers(data: Path) -> int:
    """How many processes have been started for it and live."""
    count = 0
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                words = Path("/proc", entry, "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue  # gone meanwhile
            count += b"ternmq.server" in words and os.fsencode(data) in words
    return count


def after_start(data: Path) -> str:
    """Its process may live although strmqm died; then one of the two has the queue manager, and
    the other ends."""
    found = "new" if is_up(data) else "old"
    if start() not in (0, 5):
        return "strmqm does not work any more"
    until(lambda: status_of(str(data / "qmgrs" / file_name(NAME))).state == "Running")
    until(lambda: servers(data) == 1)
    return ended(data) or found


def after_end(data: Path) -> str:
    found = "old" if is_up(data) else "new"
    return ended(data) or found


def prepare_life(data: Path) -> None:
    create()
    with ternmq.embedded(data, NAME) as qmgr:
        qmgr.define_queue(OBJECTS)
        with qmgr.queue(OBJECTS) as queue:
            queue.put("kept", persistent=True)


def prepare_delete(data: Path) -> None:
    create()


def prepare_create(data: Path) -> None:
    os.makedirs(data, exist_ok=True)


# ---- mqs.ini: a queue manager is in it or not, and stays whole


def add() -> int:
    where = ["-v", f"Name={NAME}", "-v", f"Directory={file_name(NAME)}"]
    return ternmq_main(["addmqinf", *where, "-v", f"Prefix={os.environ['TERNMQ_DATA']}"])


def remove() -> int:
    return ternmq_main(["rmvmqinf", NAME])


def is_registered(data: Path) -> bool:
    return any(stanza.get("Name") == NAME for stanza in machine_ini(str(data)).all("QueueManager"))


def prepare_add(data: Path) -> None:
    create()
    remove()


def after_add(data: Path) -> str:
    found = "new" if is_registered(data) else "old"
    if found == "old" and add() != 0:
        return "addmqinf does not work any more"
    return found if is_registered(data) and is_whole(data) else "half"


def after_remove(data: Path) -> str:
    found = "old" if is_registered(data) else "new"
    if found == "old" and remove() != 0:
        return "rmvmqinf does not work any more"
    return found if not is_registered(data) and add() == 0 and is_whole(data) else "half"


# ---- buffers of a queue, and passwords


def tune() -> int:
    return ternmq_main(["qtune", "-m", NAME, "-p", "2097152", OBJECTS])


def after_tune(data: Path) -> str:
    with ternmq.embedded(data, NAME) as qmgr, qmgr.queue(OBJECTS) as queue:
        if [message.text for message in queue.browse()] != ["kept"]:
            return "the message is gone"
        size = qmgr.attributes(OBJECTS)["persistent_buffer"]
    return {1 << 20: "old", 2 << 20: "new"}.get(int(size), f"{size} bytes")


def forget_user() -> int:
    return ternmq_main(["passwd", "-m", NAME, "-d", "app"])


def prepare_users(data: Path) -> None:
    os.environ["MQ_APP_PASSWORD"] = os.environ["MQ_ADMIN_PASSWORD"] = "another"
    ternmq_main(["crtmqm", "--dev", "-c", "made whole", *SMALL_LOG, NAME])


def after_users(data: Path) -> str:
    passwords = read_accounts(OsDisk(str(data / "qmgrs" / file_name(NAME))))
    if "admin" not in passwords:
        return "another user is gone"
    return "old" if "app" in passwords else "new"


# ---- objects: each is as before or as after its command


def change_objects() -> int:
    with ternmq.embedded(os.environ["TERNMQ_DATA"], NAME) as qmgr:
        for command in CHANGES:
            if not all(answer.ok for answer in qmgr.mqsc(command)):
                return 1
        qmgr.checkpoint()
    return 0


def shape(qmgr: ternmq.QueueManager) -> list[str]:
    """What each command leaves, in words."""
    seen = []
    for command in SHOWN:
        answers = [answer for answer in qmgr.mqsc(command) if answer.ok]
        seen.append(" ".join(f"<{answer['DESCR']}>" for answer in answers) or "none")
    return seen


def after_objects(data: Path) -> str:
    with ternmq.embedded(data, NAME) as qmgr:
        found = shape(qmgr)
    return "old or new" if found in SHAPES else f"half: {found}"


CHANGES = (
    "DEFINE QLOCAL(NEW.QUEUE) DESCR('first')",
    "ALTER QLOCAL(NEW.QUEUE) DESCR('second') MAXDEPTH(7)",
    "DEFINE CHANNEL(NEW.CHANNEL) CHLTYPE(SVRCONN) DESCR('channel')",
    f"DELETE QLOCAL({OBJECTS}) PURGE",
    "DELETE CHANNEL(NEW.CHANNEL)",
)
SHOWN = (
    "DISPLAY QLOCAL(NEW.QUEUE) DESCR",
    "DISPLAY CHANNEL(NEW.CHANNEL) DESCR",
    f"DISPLAY QLOCAL({OBJECTS}) DESCR",
)
# After none, one, two ... of the changes, which are forced one after the other.
SHAPES = (
    ["none", "none", "<>"],
    ["<first>", "none", "<>"],
    ["<second>", "none", "<>"],
    ["<second>", "<channel>", "<>"],
    ["<second>", "<channel>", "none"],
    ["<second>", "none", "none"],
)


COMMANDS: dict[str, tuple[Callable[[Path], None], Callable[[], int], Callable[[Path], str]]] = {
    "crtmqm": (prepare_create, create, after_create),
    "dltmqm": (prepare_delete, delete, after_delete),
    "strmqm": (prepare_life, live, after_life),
    "strmqm command": (prepare_start, start, after_start),
    "endmqm command": (prepare_life, end, after_end),
    "addmqinf": (prepare_add, add, after_add),
    "rmvmqinf": (prepare_delete, remove, after_remove),
    "qtune": (prepare_life, tune, after_tune),
    "passwd": (prepare_users, forget_user, after_users),
    "objects": (prepare_life, change_objects, after_objects),
}


BEFORE: dict[str, Callable[[Path], None]] = {"endmqm command": start_before}


def main(command: str, folder: Path, points: list[int]) -> None:
    prepare, work, look = COMMANDS[command]
    template, data = folder / "template", folder / "data"
    os.environ["TERNMQ_DATA"] = str(template)
    output = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    prepare(template)
    for point in points:
        shutil.rmtree(data, ignore_errors=True)
        shutil.copytree(template, data)
        os.environ["TERNMQ_DATA"] = str(data)
        if command in BEFORE:
            BEFORE[command](data)
        reported = killed(point, work)
        reported["found"] = look(data)
        os.write(output, json.dumps(reported).encode() + b"\n")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), [int(word) for word in sys.argv[3:]])
