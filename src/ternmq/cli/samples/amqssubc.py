"""amqssubc: amqssub as a client; MQSERVER, MQCCDTURL or mqclient.ini lead to the queue manager."""

from __future__ import annotations

from ternmq.cli.samples import amqssub


def main(argv: list[str]) -> int:
    """Run the sample."""
    return amqssub.main(argv, client=True)
