"""The queue manager of the walks over broken connections: in a thread, on a port of loopback, with
channels with and without TLS."""

from __future__ import annotations

import tempfile
from pathlib import Path

import trustme

from tests.battery.places import until
from tests.unit.api.networked import Networked
from tests.unit.api.served import Served

CHANNEL = "APP.SVRCONN"
SECURE = "SECURE.SVRCONN"  # with TLS: records are counted
CIPHER = "ANY_TLS12_OR_HIGHER"
SECURITY = f"""
DEFINE CHANNEL('{SECURE}') CHLTYPE(SVRCONN) SSLCIPH({CIPHER}) SSLCAUTH(OPTIONAL)
ALTER QMGR SSLKEYR('{{keys}}')
REFRESH SECURITY TYPE(SSL)
"""


class Stage:
    """A queue manager for many points; each has queues of its own."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="tmq")
        folder = Path(self._folder.name)
        self.served = Networked(folder)
        self.number = 0
        self.keys = str(folder / "client")
        self._secure(folder)

    def _secure(self, folder: Path) -> None:
        """A key for the queue manager, and for clients whom to trust."""
        authority = trustme.CA()
        (folder / "keys").mkdir()
        (folder / "client").mkdir()
        key = authority.issue_cert("qm1.example.com", common_name="QM1")
        key.private_key_and_cert_chain_pem.write_to_path(folder / "keys" / "ibmwebspheremqqm1.pem")
        authority.cert_pem.write_to_path(folder / "client" / "authority.crt")
        with Served.connect(self.served) as here:
            for answer in here.mqsc(SECURITY.format(keys=folder / "keys")):
                assert answer.ok, answer

    def new_names(self, *words: str) -> list[str]:
        """Names of queues that no other point has."""
        self.number += 1
        return [f"P{self.number}.{word}" for word in words]

    def close(self) -> None:
        self.served.close()
        self._folder.cleanup()

    def settle(self) -> None:
        """Wait until the queue manager knows that its clients have gone."""
        host = self.served.host
        assert host is not None
        until(lambda: not host.sockets)
