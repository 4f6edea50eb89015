"""A call that a client of ours has sent by name, over the local socket or the network.

What does not fit the table of `values.calls` is the other side's fault and ends its connection.
"""

from __future__ import annotations

from typing import Any, final

from ternmq.mqi.steps.table import STEPS
from ternmq.values.calls.call import Call
from ternmq.values.calls.table import call_from
from ternmq.wire.extension import pack_answer


@final
class AskedCall:
    """A call, the step that carries it out, and how to answer it."""

    def __init__(self, given: dict[str, Any]) -> None:
        self.call: Call = call_from(given.get("call"), given)
        row = STEPS[self.call.name]
        self.turn = row.turn
        self.step = row.make(self.call)

    def answer(self) -> list[bytes]:
        """The parts of the answer's body, once the call is done."""
        self.step.before_travel()
        return [pack_answer(self.call.result()), *self.call.body()]
