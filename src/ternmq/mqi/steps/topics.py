"""MQSUB and MQSUBRQ as steps."""

from __future__ import annotations

from typing import final

from ternmq.base import constants as mq
from ternmq.kernel.connection import Connection as Link
from ternmq.kernel.connection import Handle
from ternmq.kernel.kernel import Kernel
from ternmq.mqi.steps.step import Step
from ternmq.pubsub.publish_subscribe import pubsub_of
from ternmq.pubsub.requesting import Requesting
from ternmq.pubsub.subscribing import Subscribing
from ternmq.values.calls import topics as calls


@final
class Subscribe(Step):
    """MQSUB."""

    def __init__(self, call: calls.Subscribe) -> None:
        super().__init__(call.verb)
        self.call = call
        self._work: Subscribing | None = None

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        work = self._work
        if work is None:
            call = self.call
            destination: Handle | None = None
            if call.destination.handle_id != mq.MQHO_NONE:
                destination = self.about(link, call.destination)
            work = Subscribing(pubsub_of(kernel), link, call, destination)
            self._work = work
        return work.step()


@final
class RequestPublications(Step):
    """MQSUBRQ."""

    def __init__(self, call: calls.RequestPublications) -> None:
        super().__init__(call.verb)
        self.call = call
        self._work: Requesting | None = None

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        work = self._work
        if work is None:
            handle = self.about(link, self.call.handle)
            work = Requesting(pubsub_of(kernel), link, self.call, handle)
            self._work = work
        return work.step()
