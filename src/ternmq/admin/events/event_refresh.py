"""REFRESH QMGR TYPE(CONFIGEV): a configuration event for each object as it is now, so that who
keeps a copy of the definitions can begin, or begin again. A bounded number of objects a step."""

from __future__ import annotations

from typing import Final, final

from ternmq.admin.command_table import CommandRow
from ternmq.admin.commands.display import objects_of
from ternmq.admin.events.event_content import Events
from ternmq.admin.execution import STEP_OBJECTS, Execution
from ternmq.base import object_types as types
from ternmq.base.command_reasons import MQRCCF_EVENTS_DISABLED, MQRCCF_PARM_VALUE_ERROR
from ternmq.base.reasons import MQRC_FUNCTION_NOT_SUPPORTED
from ternmq.kernel.connection import Connection as Link
from ternmq.kernel.events import CONFIGURATION
from ternmq.kernel.kernel import Kernel
from ternmq.store.catalog import Definition
from ternmq.values.command import Command

NANOSECONDS_A_MINUTE: Final = 60_000_000_000
_EVERYTHING: Final = sum(row.bit for row in types.OBJECT_TYPES if row.bit != types.QMGR)


@final
class RefreshQueueManager(Execution):
    """OBJECT, NAME and INCLINT (altered in so many minutes) narrow it down."""

    def __init__(self, command: Command, row: CommandRow) -> None:
        super().__init__(command, row)
        self._left: list[Definition] = []
        self._begun = False

    def step(self, kernel: Kernel, link: Link) -> bool:
        given = self.command.given
        row = self.row
        kind = given.get("TYPE", "")
        if kind != "CONFIGEV":
            why = f"TYPE({kind}) has nothing to refresh here"
            reason = MQRC_FUNCTION_NOT_SUPPORTED
            return self.refuse("AMQ8561E", row.action, row.noun, why, reason=reason)
        if not kernel.events & CONFIGURATION:
            why = "configuration events are switched off: ALTER QMGR CONFIGEV(ENABLED)"
            reason = MQRCCF_EVENTS_DISABLED
            return self.refuse("AMQ8561E", row.action, row.noun, why, reason=reason)
        if not self._begun:
            self._begun = True
            if not self._choose(kernel):
                word = f"OBJECT({given.get('OBJECT', '')})"
                reason = MQRCCF_PARM_VALUE_ERROR
                why = f"{word} is not a type of object"
                return self.refuse("AMQ8561E", row.action, row.noun, why, reason=reason)
        self._report_some(kernel, link)
        if self._left:
            link.again = True
            return False
        return self.succeed()

    def _choose(self, kernel: Kernel) -> bool:
        """False if OBJECT is not a type."""
        given = self.command.given
        word = given.get("OBJECT", "ALL").upper()
        bits = _EVERYTHING if word in ("ALL", "") else types.GROUP_BITS.get(word, 0)
        if not bits and word in types.BY_NOUN:
            bits = types.BY_NOUN[word].bit
        since_ns = 0
        minutes = int(given.get("INCLINT", "0") or "0")
        if minutes:
            since_ns = int(kernel.clock.now_ns()) - minutes * NANOSECONDS_A_MINUTE
        chosen = objects_of(kernel, bits, given.get("NAME", "") or "*")
        self._left = [one for one in chosen if one.altered_ns >= since_ns and not one.temporary]
        self._left.reverse()
        return bits != 0

    def _report_some(self, kernel: Kernel, link: Link) -> None:
        sink = kernel.event_sink
        for _ in range(min(STEP_OBJECTS, len(self._left))):
            definition = self._left.pop()
            if isinstance(sink, Events):
                sink.objects.refreshed(link, definition)
