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
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ternmq
from ternmq.base.names import file_name
from ternmq.cli.__main__ import main as ternmq_main
from ternmq.client.local_folder import find, places
from ternmq.server.process import Process
from ternmq.server.status import status_of

CHANGING = (
    "open", "mkdir", "rename", "unlink", "rmdir", "symlink", "chmod", "fchmod", "fsync",
    "fdatasync", "pwrite", "pwritev", "ftruncate", "replace",
)  # fmt: skip
NAME = "KILL.QM"
SMALL_LOG = ["-lp", "2", "-ls", "1", "-lf", "32"]
OBJECTS = "QUEUE.OF.MINE"


class Counter:
    """Counts the calls of this process and dies at one of them."""

    def __init__(self, fatal: int) -> None:
        self.calls = 0
        self.fatal = fatal
        for name in CHANGING:
            setattr(os, name, self._counted(getattr(os, name)))

    def _counted(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*args: Any, **options: Any) -> Any:
            self.calls += 1
            if self.calls == self.fatal:
                os.kill(os.getpid(), signal.SIGKILL)
            return function(*args, **options)

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
    with open(reading, "rb") as told:
        calls = told.read()
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


COMMANDS: dict[str, tuple[Callable[[Path], None], Callable[[], int], Callable[[Path], str]]] = {
    "crtmqm": (prepare_create, create, after_create),
    "dltmqm": (prepare_delete, delete, after_delete),
    "strmqm": (prepare_life, live, after_life),
}


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
        told = killed(point, work)
        told["found"] = look(data)
        os.write(output, json.dumps(told).encode() + b"\n")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), [int(word) for word in sys.argv[3:]])
