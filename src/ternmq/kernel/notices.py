"""What the core reports to operators: message ids and inserts that the shell writes to its error
log.

The core has no files, so it keeps them until the shell takes them. Their number is bounded: where
no shell takes any (a queue manager in an application's process has no error log), the oldest go.
Damaged objects and backed out units are found below the kernel; `look` notices that there are more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

from mypy_extensions import i64

from ternmq.base.attributes import Value

if TYPE_CHECKING:
    from ternmq.kernel.kernel import Kernel

NOTICES_MAX: Final = 256


@final
class Notice:
    """One message of the table, with what it is about."""

    __slots__ = ("inserts", "message_id")

    def __init__(self, message_id: str, inserts: tuple[Value, ...]) -> None:
        self.message_id = message_id
        self.inserts = inserts


@final
class Notices:
    """Those that are not taken yet, oldest first."""

    def __init__(self) -> None:
        self.waiting: list[Notice] = []
        self.dropped: i64 = 0  # since they were taken last
        self._damaged: dict[int, str] = {}  # objects whose damage was reported
        self._victims: i64 = 0

    def add(self, message_id: str, inserts: tuple[Value, ...]) -> None:
        """Report something, unless it equals the last report."""
        waiting = self.waiting
        if waiting:
            last = waiting[-1]
            if last.message_id == message_id and last.inserts == inserts:
                return
        if len(waiting) >= NOTICES_MAX:
            del waiting[0]
            self.dropped += 1
        waiting.append(Notice(message_id, inserts))

    def take(self) -> list[Notice]:
        """All of them; from now on they are the caller's."""
        taken = self.waiting
        self.waiting = []
        self.dropped = 0
        return taken

    def look(self, kernel: Kernel) -> None:
        """What has happened below the kernel since the last look; called at every tick."""
        damaged = kernel.catalog.damaged
        if len(damaged) != len(self._damaged):
            self._look_at_damage(kernel, damaged)
        victims: i64 = kernel.keeper.victims
        if victims > self._victims:
            self.add("AMQ7469W", (int(victims - self._victims),))
            self._victims = victims

    def _look_at_damage(self, kernel: Kernel, damaged: dict[int, str]) -> None:
        for number in sorted(damaged):
            if number not in self._damaged:
                name = str(number)
                for definition in kernel.catalog.definitions.values():
                    if definition.object_id == number:
                        name = definition.name
                self.add("AMQ7472W", (name, "queue", damaged[number]))
        self._damaged = dict(damaged)
