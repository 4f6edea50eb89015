"""Application activity trace, published to whoever subscribes to it."""

from __future__ import annotations

import socket

from ternmq.base.errors import MQError
from ternmq.codec.pcf.structures import PCFMessage
from ternmq.host.shell import Shell
from ternmq.kernel.call_trace import TracedCall
from ternmq.pubsub.own_publications import OwnPublisher
from ternmq.pubsub.publish_subscribe import pubsub_of
from ternmq.telemetry.monitor.activity_messages import activity_messages


class ActivityDestination:
    """Publishes calls of applications."""

    def __init__(self, shell: Shell) -> None:
        self._shell = shell
        self._name = shell.engine.kernel.name
        self._host = socket.gethostname()
        self._publisher = OwnPublisher(pubsub_of(shell.engine.kernel))
        self._sequences: dict[int, int] = {}
        self.lost = 0

    def publish(self, calls: list[TracedCall]) -> None:
        """Some calls, in the order in which they were made."""
        for topics, message in activity_messages(self._name, self._host, calls, self._sequences):
            for topic_string in topics:
                self._publish(topic_string, message)

    def _publish(self, topic_string: str, message: PCFMessage) -> None:
        shell = self._shell
        publisher = self._publisher
        with shell.lock:
            try:
                if publisher.is_wanted(topic_string):
                    while not publisher.publish(topic_string, message):
                        shell.wait_for_park(publisher.link)
            except MQError:
                self.lost += 1
            shell.settle()
