"""Starting the detached process of a queue manager, and waiting until it is up."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable

from ternmq.base.message_table import message_line
from ternmq.remote.local.folder_lookup import Place
from ternmq.server.folder.data_folder import make_errors_folder


class LaunchFailed(Exception):
    """The process did not come up: what it said, and the exit status for it."""

    def __init__(self, text: str, exit_status: int) -> None:
        super().__init__(text, exit_status)
        self.text = text
        self.exit_status = exit_status


def launch(data: str, place: Place, say: Callable[[str], None], *options: str) -> bool:
    """Start it with options of `ternmq.server`; True when applications can connect, False when it
    stands by.

    It is a session of its own, with no terminal, in the root folder: nothing that happens to the
    process that started it happens to it. What Python itself writes goes to a file in the errors
    folder.
    """
    reading, writing = os.pipe()
    errors = make_errors_folder(place.folder)
    arguments = [sys.executable, "-m", "ternmq.server", place.name]
    arguments += ["--data", os.path.abspath(data), "--report", str(writing)]
    arguments += options
    output = os.open(
        os.path.join(errors, "process.log"),
        os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC,
        0o640,
    )
    try:
        process = subprocess.Popen(
            arguments,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            pass_fds=(writing,),
            start_new_session=True,
            cwd="/",
            env=_environment(data),
        )
    except BaseException:
        os.close(reading)
        raise
    finally:
        os.close(output)
        os.close(writing)
    with open(reading, encoding="utf-8") as pipe:
        for line in pipe:
            value = json.loads(line)
            if "say" in value:
                say(value["say"])
            elif "up" in value or "standby" in value:
                process.returncode = 0  # it is not ours to wait for any more
                return "up" in value
            elif "failed" in value:
                process.wait()
                raise LaunchFailed(value["failed"], value["exit"])
    status = process.wait()
    why = f"its process ended with status {status}; see {errors}/process.log"
    raise LaunchFailed(message_line("AMQ7018E", (why,)), 71)


def _environment(data: str) -> dict[str, str]:
    """Ours, with paths that hold also in another folder."""
    environment = {**os.environ, "TERNMQ_DATA": os.path.abspath(data)}
    given = environment.get("PYTHONPATH", "")
    if given:
        paths = (os.path.abspath(path) for path in given.split(os.pathsep) if path)
        environment["PYTHONPATH"] = os.pathsep.join(paths)
    return environment
