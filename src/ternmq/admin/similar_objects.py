"""Which objects a mistyped name of a command may have meant: "Did you mean ORDERS?"

Looked for after AMQ8147E, a bounded number of names in a step, among objects that the user may
display. An answer that names its cause already is left as it is.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.admin.command_authority import may_display
from ternmq.admin.command_table import CommandRow
from ternmq.base import object_types as types
from ternmq.base.reasons import MQRC_UNKNOWN_OBJECT_NAME
from ternmq.base.similar import SIMILAR_MAX, is_near, question
from ternmq.kernel.connection import Connection as Link
from ternmq.kernel.kernel import Kernel
from ternmq.values.command import Answer

NAMES_A_STEP: Final = 256
# What commands are about whose attributes are not those of objects.
_TYPES: Final = {
    "QSTATUS": types.QUEUES,
    "QSTATS": types.QUEUES,
    "QLOCAL": types.QUEUES,
    "CHANNEL": types.CHANNELS,
    "LISTENER": types.LISTENER,
    "SERVICE": types.SERVICE,
}


@final
class SimilarObjects:
    """The search for one answer."""

    def __init__(self, answer: Answer, name: str, bits: int) -> None:
        self._answer = answer
        self._name = name
        self._bits = bits
        self._names: list[str] | None = None
        self._next = 0
        self._found: list[str] = []

    def step(self, kernel: Kernel, link: Link) -> bool:
        """Go on; True when the answer has its hint, or there is none."""
        table = kernel.catalog.table_of(self._bits & -self._bits)
        names = self._names
        if names is None:
            names = list(table)
            self._names = names
        last = min(self._next + NAMES_A_STEP, len(names))
        for name in names[self._next : last]:
            definition = table.get(name)
            if definition is None or not definition.object_type & self._bits:
                continue
            if is_near(self._name, name) and may_display(kernel, link, definition):
                self._found.append(name)
        self._next = last
        if last < len(names) and len(self._found) < SIMILAR_MAX:
            link.again = True
            return False
        self._answer.detail = question(sorted(self._found)[:SIMILAR_MAX])
        return True


def search_for(row: CommandRow, answers: list[Answer]) -> SimilarObjects | None:
    """The search that a command needs before its answers go out; None if nothing is missing."""
    answer = answers[-1] if answers else None
    if answer is None or answer.message != "AMQ8147E" or answer.detail or not answer.inserts:
        return None
    bits = row.types & ~types.QMGR or _TYPES.get(row.noun, 0)
    name = str(answer.inserts[0])
    if not bits or "*" in name or answer.reason != MQRC_UNKNOWN_OBJECT_NAME:
        return None
    return SimilarObjects(answer, name, bits)
