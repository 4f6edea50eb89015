"""amqsbcgc: amqsbcg as a client; MQSERVER, MQCCDTURL or mqclient.ini lead to the queue manager."""

from __future__ import annotations

from ternmq.cli.samples import amqsbcg


def main(argv: list[str]) -> int:
    """Run the sample."""
    return amqsbcg.main(argv, client=True)
