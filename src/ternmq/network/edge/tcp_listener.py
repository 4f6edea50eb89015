"""Listeners: TCP ports on which partners come in, on IPv4 and IPv6.

A listener takes connections as they come and gives them to `accept`, but for those from blocked
addresses (BLOCKADDR): they are kept waiting for a while and then closed, so that they do not come
again at once. While a developer's account has the default password, only this machine
may connect. `Network` is all of the network of one queue manager, and what tests make.
"""

from __future__ import annotations

import asyncio
import errno
import ipaddress
import os
import socket
from collections.abc import Callable
from typing import Final

from ternmq.base.limits import BLOCKED_HELD_MAX, BLOCKED_HOLD_S
from ternmq.kernel.channel_control import INITIATORS_MAX
from ternmq.network.edge.accept import Acceptor, ProtocolOf
from ternmq.network.edge.admission import Admission, Peer
from ternmq.network.edge.auto_definition import AutoDefinition
from ternmq.network.edge.channel_instances import Channels
from ternmq.network.edge.channel_tls import TlsContexts
from ternmq.network.edge.channel_users import Users
from ternmq.network.edge.log_throttle import LogThrottle
from ternmq.network.edge.network_host import NetworkHost
from ternmq.network.edge.network_settings import NetworkSettings
from ternmq.ports.os_exit_files import FOLDER, ExitFiles
from ternmq.security.password_file import PasswordFileError, has_default_password, read_accounts

LogMessage = Callable[..., None]
_AT_ONCE: Final = 64  # connections taken before others have their turn
_FULL_S: Final = 1.0  # until the next try, when no more files can be opened
_BIND_TRIES: Final = 8


class Network:
    """What lets partners in to one queue manager. Made inside the loop, after the parts."""

    def __init__(
        self,
        host: NetworkHost,
        folder: str,
        log_message: LogMessage,
        protocol_of: ProtocolOf,
        settings: NetworkSettings | None = None,
    ) -> None:
        self.settings = settings or NetworkSettings()
        self._host = host
        self.log_message = LogThrottle(log_message)
        self._loop = asyncio.get_running_loop()
        kernel = host.engine.kernel
        self.tls = TlsContexts(kernel.catalog, kernel.name, folder)
        self.tls.allows_tls_1_3 = self.settings.allows_tls_1_3
        self.exit_files = ExitFiles(self.settings.exits_path or os.path.join(folder, FOLDER))
        most = self.settings.channels_max or host.sessions_max
        self.channels = Channels(kernel, most, self.log_message)
        control = kernel.parts.control
        control.active_max = min(self.settings.active_max or most, most)
        control.initiators_max = min(self.settings.initiators_max, INITIATORS_MAX)
        self.users = Users(host, self.log_message, self.settings.adopts_early)
        self.admission = Admission(host, self.channels, self.users, self.log_message)
        self.auto_definition = AutoDefinition(host, self.users, self.exit_files, self.log_message)
        self.admission.define = self.auto_definition.find
        self.acceptor = Acceptor(self.tls, protocol_of, self.log_message, self.admission.tls_failed)
        self.acceptor.is_full = lambda: host.open_sockets >= host.sessions_max
        self.acceptor.unauthenticated.share(host.sessions_max)
        self.listeners: dict[str, TcpListener] = {}
        host.network = self
        self._held: set[socket.socket] = set()

    @property
    def waiting(self) -> int:
        """Sockets that no protocol serves: those being accepted, and blocked ones that are held."""
        return self.acceptor.waiting + len(self._held)

    def bind(self, name: str, address: str, port: int, backlog: int) -> TcpListener:
        """A listener that has its port, but accepts nothing yet; OSError if it cannot have it."""
        made = TcpListener(name, bind(address, port, backlog or self.settings.backlog), self)
        made.address = address
        made.backlog = backlog or self.settings.backlog
        self.listeners[name] = made
        return made

    def listen(
        self, address: str = "", port: int = 0, name: str = "", backlog: int = 0
    ) -> TcpListener:
        """A listener that takes partners in."""
        made = self.bind(name, address, port, backlog)
        made.open()
        return made

    def rename(self, listener: TcpListener, name: str) -> None:
        """Know a listener by another name."""
        del self.listeners[listener.name]
        listener.name = name
        self.listeners[name] = listener

    def arrived(self, sock: socket.socket, place: tuple[str, int]) -> None:
        """A client has connected."""
        address = plain_address(place[0])
        try:
            sock.setblocking(False)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self.settings.keep_alive:
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            own = sock.getsockname()
        except OSError:
            sock.close()  # it has gone already
            return
        if self.users.is_blocked(address):
            self._hold(sock)
        elif not self._may_come(address):
            self.log_message("AMQ9777E", "????", address)
            self._hold(sock)
        else:
            local = f"{plain_address(own[0])}({own[1]})"
            self.acceptor.enter(sock, Peer(address, place[1], local))

    def _may_come(self, address: str) -> bool:
        """From other machines only if no account has the default password."""
        if ipaddress.ip_address(address).is_loopback:
            return True
        try:
            return not has_default_password(read_accounts(self._host.shell.disk))
        except (PasswordFileError, OSError):
            return False  # the accounts are not known

    def _hold(self, sock: socket.socket) -> None:
        if len(self._held) >= min(BLOCKED_HELD_MAX, self.acceptor.unauthenticated.most):
            sock.close()
            return
        self._held.add(sock)
        self._loop.call_later(BLOCKED_HOLD_S, self._release, sock)

    def _release(self, sock: socket.socket) -> None:
        self._held.discard(sock)
        sock.close()

    def close(self) -> None:
        """Accept no more connections; those that are authenticated stay."""
        for listener in list(self.listeners.values()):
            listener.close()
        self.acceptor.close()
        self.channels.close()
        for sock in list(self._held):
            self._release(sock)
        self.log_message.close()


class TcpListener:
    """A port, on every address or on one."""

    def __init__(self, name: str, sockets: list[socket.socket], network: Network) -> None:
        self.name = name
        self.sockets = sockets
        self.port: int = sockets[0].getsockname()[1]
        self.address = ""
        self.backlog = 0
        self._network = network
        self._loop = network._loop
        self._is_open = False

    def open(self) -> None:
        """Take partners in from now on; in the loop's thread."""
        if self.sockets and not self._is_open:
            self._is_open = True
            for sock in self.sockets:
                self._loop.add_reader(sock, self._accept, sock)

    def _accept(self, listening: socket.socket) -> None:
        for _ in range(_AT_ONCE):
            try:
                sock, place = listening.accept()
            except BlockingIOError:
                return
            except ConnectionAbortedError:
                continue  # gone before its turn
            except OSError as error:
                if error.errno not in (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM):
                    raise
                self._network.log_message("AMQ9213E", "TCP/IP", "accept", error.strerror)
                self._loop.remove_reader(listening)
                self._loop.call_later(_FULL_S, self._again, listening)
                return
            self._network.arrived(sock, (place[0], place[1]))

    def _again(self, listening: socket.socket) -> None:
        if self._is_open:
            self._loop.add_reader(listening, self._accept, listening)

    def close(self) -> None:
        """Accept no more connections; in the loop's thread."""
        for sock in self.sockets:
            if self._is_open:
                self._loop.remove_reader(sock)
            sock.close()
        self._is_open = False
        self.sockets = []
        if self._network.listeners.get(self.name) is self:
            del self._network.listeners[self.name]


def plain_address(address: str) -> str:
    """Without the zone of IPv6, and IPv4 as such where it comes through IPv6."""
    parsed = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(parsed, ipaddress.IPv6Address) and parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(parsed)


def bind(address: str, port: int, backlog: int) -> list[socket.socket]:
    """Listening sockets; without an address on all of IPv4 and, where there is such, of IPv6."""
    if not address:
        return _bind_all(port, backlog)
    found = socket.getaddrinfo(address, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    sockets: list[socket.socket] = []
    try:
        for family, _, _, _, place in found:
            chosen = sockets[0].getsockname()[1] if sockets else port
            sockets.append(_bound(family, (str(place[0]), chosen), backlog))
    except OSError:
        _close(sockets)
        raise
    return sockets


def _bind_all(port: int, backlog: int) -> list[socket.socket]:
    for attempt in range(_BIND_TRIES):
        first = _bound(socket.AF_INET, ("", port), backlog)
        try:
            chosen = first.getsockname()[1]
            return [first, _bound(socket.AF_INET6, ("::", chosen), backlog)]
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                return [first]  # there is no IPv6 here
            first.close()
            if port or attempt == _BIND_TRIES - 1:
                raise
    raise OSError(errno.EADDRINUSE, os.strerror(errno.EADDRINUSE))


def _bound(family: int, place: tuple[str, int], backlog: int) -> socket.socket:
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        sock.setblocking(False)
        sock.bind(place)
        sock.listen(backlog)
    except BaseException:
        sock.close()
        raise
    return sock


def _close(sockets: list[socket.socket]) -> None:
    for sock in sockets:
        sock.close()
