"""Which queues a mistyped name may have meant: asked for when an open has failed, never before."""

from __future__ import annotations

from typing import Final, final

from ternmq.base import constants as mq
from ternmq.base.similar import SIMILAR_MAX, is_near
from ternmq.kernel.connection import Connection as Link
from ternmq.kernel.kernel import Kernel
from ternmq.mqi.steps.step import Step
from ternmq.security import authorities as auth
from ternmq.values.calls.objects import FindSimilarQueues as Call

_NAMES_A_STEP: Final = 256


@final
class FindSimilarQueues(Step):
    """Names of queues that the user may display or inquire, and that are near the one given."""

    def __init__(self, call: Call) -> None:
        super().__init__(call.verb)
        self.call = call
        self._names: list[str] | None = None
        self._next = 0

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        link.begin_verb()
        names = self._names
        if names is None:
            names = list(kernel.catalog.definitions)
            self._names = names
            self.call.names = []
        last = min(self._next + _NAMES_A_STEP, len(names))
        for name in names[self._next : last]:
            if is_near(self.call.object_name, name) and _may_know(kernel, link, name):
                self.call.names.append(name)
        self._next = last
        if last < len(names) and len(self.call.names) < SIMILAR_MAX:
            link.again = True
            return False
        self.call.names = sorted(self.call.names)[:SIMILAR_MAX]
        return True


def _may_know(kernel: Kernel, link: Link, name: str) -> bool:
    if link.privileged:
        return True
    granted = kernel.authority.granted(link.user, mq.MQOT_Q, name)
    return granted & (auth.DSP | auth.INQ) != 0
