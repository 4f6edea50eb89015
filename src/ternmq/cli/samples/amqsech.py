"""amqsech MQTMC2: started by a trigger monitor, sends every request back as its reply."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ternmq.cli.samples import sample_server

if TYPE_CHECKING:
    from ternmq.api.connection import Connection


def main(argv: list[str]) -> int:
    """Run the sample."""
    return sample_server.run("AMQSECHA", "amqsech", argv, _echo)


def _echo(connection: Connection, data: bytes) -> bytes:
    return data
