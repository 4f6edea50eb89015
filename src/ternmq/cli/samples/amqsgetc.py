"""amqsgetc: amqsget as a client; MQSERVER, MQCCDTURL or mqclient.ini lead to the queue manager."""

from __future__ import annotations

from ternmq.cli.samples import amqsget


def main(argv: list[str]) -> int:
    """Run the sample."""
    return amqsget.main(argv, client=True)
