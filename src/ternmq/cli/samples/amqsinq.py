"""amqsinq MQTMC2: started by a trigger monitor; a request names a queue, its reply says how many
messages are on it and how many programs get from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ternmq.base import constants as mq
from ternmq.cli.samples import sample_server

if TYPE_CHECKING:
    from ternmq.api.connection import Connection


def main(argv: list[str]) -> int:
    """Run the sample."""
    return sample_server.run("AMQSINQA", "amqsinq", argv, _inquire)


def _inquire(connection: Connection, data: bytes) -> bytes:
    name = sample_server.queue_name(data)
    with connection.queue(name, options=mq.MQOO_INQUIRE | mq.MQOO_FAIL_IF_QUIESCING) as queue:
        depth, programs, inhibited = queue.inquire(
            mq.MQIA_CURRENT_Q_DEPTH, mq.MQIA_OPEN_INPUT_COUNT, mq.MQIA_INHIBIT_GET
        )
    reply = f"{name} has {depth} messages, used by {programs} jobs"
    if inhibited == mq.MQQA_GET_INHIBITED:
        reply += "; GET inhibited"
    return reply.encode()
