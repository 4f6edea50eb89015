"""amqsset MQTMC2: started by a trigger monitor; a request names a queue, on which puts are switched
off."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ternmq.base import constants as mq
from ternmq.cli.samples import sample_server

if TYPE_CHECKING:
    from ternmq.api.connection import Connection


def main(argv: list[str]) -> int:
    """Run the sample."""
    return sample_server.run("AMQSSETA", "amqsset", argv, _inhibit)


def _inhibit(connection: Connection, data: bytes) -> bytes:
    name = sample_server.queue_name(data)
    with connection.queue(name) as queue:
        queue.set({mq.MQIA_INHIBIT_PUT: mq.MQQA_PUT_INHIBITED})
    return f"{name} PUT inhibited".encode()
