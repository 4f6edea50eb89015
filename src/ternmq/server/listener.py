"""The local socket: made in the queue manager's folder, mode 0660, removed at the end.

Where the folder's path is too long for a socket, the socket is in the user's runtime folder under a
short name, and a file in the queue manager's folder says where. The caller holds the lock of the
folder, so no process listens any more on a socket that is already there.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
import socket
import stat
import tempfile
from typing import Final

from ternmq.base.limits import SOCKET_PATH_BYTES_MAX
from ternmq.remote.local.folder_lookup import SOCKET, SOCKET_POINTER
from ternmq.server.folder.data_folder import replace_file
from ternmq.server.host import Host
from ternmq.server.session import Session

_MODE: Final = 0o660
_BACKLOG: Final = 512
_TURNS_TO_SERVE: Final = 3  # of the loop, from an accepted socket to its session


def short_path(folder: str) -> str:
    """A path for the socket of a folder whose own path is too long."""
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    if not os.path.isdir(runtime):
        runtime = os.path.join(tempfile.gettempdir(), f"ternmq-{os.getuid()}")
        with contextlib.suppress(FileExistsError):
            os.mkdir(runtime, 0o700)
        status = os.lstat(runtime)
        if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid():
            raise PermissionError(f"{runtime} is not a folder of our own")
    digest = hashlib.sha256(os.fsencode(os.path.abspath(folder))).hexdigest()[:16]
    return os.path.join(runtime, f"ternmq-{digest}.sock")


def _text_of(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except (FileNotFoundError, ValueError):
        return ""


def bind(folder: str) -> socket.socket:
    """The listening socket of a queue manager's folder."""
    path = os.path.join(folder, SOCKET)
    pointer = os.path.join(folder, SOCKET_POINTER)
    if len(os.fsencode(path)) > SOCKET_PATH_BYTES_MAX:
        path = short_path(folder)
        if _text_of(pointer) != f"{path}\n":  # or a full disk would be an obstacle
            replace_file(pointer, f"{path}\n")
    else:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(pointer)
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        # ORDER: no client can connect before it listens, and then its mode is what it is to be.
        listener.bind(path)
        os.chmod(path, _MODE)
        listener.listen(_BACKLOG)
    except BaseException:
        listener.close()
        raise
    return listener


class Listener:
    """Takes connections in."""

    def __init__(self, server: asyncio.Server, listener: socket.socket, path: str) -> None:
        self._server = server
        self._listener = listener
        self._path = path

    async def close(self) -> None:
        """No more connections; those that are there stay."""
        # ORDER: what was accepted becomes a session first. asyncio drops a connection between its
        # accept and its protocol when the server closes, and the application would wait for ever.
        asyncio.get_running_loop().remove_reader(self._listener)
        for _ in range(_TURNS_TO_SERVE):
            await asyncio.sleep(0)
        self._server.close()
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self._path)


async def listen(host: Host, folder: str) -> Listener:
    """Serve a queue manager on the socket of its folder."""
    listener = bind(folder)
    path: str = listener.getsockname()
    loop = asyncio.get_running_loop()
    server = await loop.create_unix_server(lambda: Session(host), sock=listener)
    return Listener(server, listener, path)
