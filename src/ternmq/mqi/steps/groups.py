"""The groups on a queue, for people and tools: how much of each is there."""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

from ternmq.admin.inquiries import check_display
from ternmq.base import constants as mq
from ternmq.base.errors import mq_error
from ternmq.base.reasons import MQRC_OBJECT_TYPE_ERROR
from ternmq.kernel.connection import Connection as Link
from ternmq.kernel.kernel import Kernel
from ternmq.mqi.steps.step import Step
from ternmq.store.group_index import Group, GroupIndex
from ternmq.values.calls import objects as calls
from ternmq.values.status import GroupFigures

STEP_GROUPS_MAX: Final = 256
SERIALS_MAX: Final = 4096  # looked up in one step


@final
class InquireGroups(Step):
    """Which groups a queue has; as DISPLAY, it needs dsp."""

    def __init__(self, call: calls.InquireGroups) -> None:
        super().__init__(call.verb)
        self.call = call

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        call = self.call
        handle = self.about(link, call.handle)
        local = handle.local
        if local is None:  # an alias, which has no messages
            raise mq_error(MQRC_OBJECT_TYPE_ERROR, object=handle.resolved_name)
        check_display(kernel, link, mq.MQOT_Q, local.queue.name)
        index = local.queue.groups
        if index is None:
            return True
        looked_at = groups_behind(index, call.after)
        for group in looked_at[0]:
            if not (call.incomplete and group.is_whole):
                call.groups.append(figures_of(group))
        call.next = looked_at[1]
        return True


def groups_behind(index: GroupIndex, after: int) -> tuple[list[Group], int]:
    """Some groups behind a serial number, in the order of their coming, and behind which number the
    next ones are; -1: there are none."""
    found: list[Group] = []
    by_serial = index.by_serial
    if len(by_serial) <= SERIALS_MAX:  # those that are left may be of any age
        serials = [serial for serial in by_serial if serial > after]
        found = [by_serial[serial] for serial in serials[:STEP_GROUPS_MAX]]
        return found, int(found[-1].serial) if len(serials) > len(found) else -1
    serial: i64 = after
    end: i64 = min(serial + SERIALS_MAX, index.next_serial - 1)
    while serial < end and len(found) < STEP_GROUPS_MAX:
        serial += 1
        group = by_serial.get(int(serial))
        if group is not None:
            found.append(group)
    return found, int(serial) if serial < index.next_serial - 1 else -1


def figures_of(group: Group) -> GroupFigures:
    """How much of a group is there."""
    return GroupFigures(
        serial=int(group.serial),
        group_id=group.group_id.hex(),
        messages=int(group.count),
        complete=int(group.complete),
        first=int(group.runs[0].members[0].number),
        last=int(group.runs[-1].members[-1].number),
        is_whole=group.is_whole,
    )
