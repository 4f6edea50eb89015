"""amqsputc: amqsput as a client; MQSERVER, MQCCDTURL or mqclient.ini lead to the queue manager."""

from __future__ import annotations

from ternmq.cli.samples import amqsput


def main(argv: list[str]) -> int:
    """Run the sample."""
    return amqsput.main(argv, client=True)
