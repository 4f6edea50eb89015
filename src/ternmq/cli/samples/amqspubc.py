"""amqspubc: amqspub as a client; MQSERVER, MQCCDTURL or mqclient.ini lead to the queue manager."""

from __future__ import annotations

from ternmq.cli.samples import amqspub


def main(argv: list[str]) -> int:
    """Run the sample."""
    return amqspub.main(argv, client=True)
