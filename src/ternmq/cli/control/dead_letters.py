"""Works through a dead-letter queue by the rules of a table.

Each message is looked at once and gets a plan: its matching rules in order. An action is tried
as often as the rule says, with the table's interval between; if it does not succeed, the next rule
that matches has its turn; if none does, the message stays. What is moved is taken and put in one
unit of work. Messages of a group are moved together or not at all: half a group at its destination
would block its reader there.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.base.message_table import message_line
from ternmq.cli.control.dlq_rules import DISCARD, IGNORE, RETRY, Rule, RulesTable
from ternmq.cli.output import write_now
from ternmq.codec.headers.mqdlh import DeadLetterHeader
from ternmq.codec.mqi.layout import BIG, LITTLE
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.values.message import Message

if TYPE_CHECKING:
    from ternmq.api.connection import Connection
    from ternmq.api.queue import Queue

OPEN: Final = mq.MQOO_INPUT_AS_Q_DEF | mq.MQOO_BROWSE | mq.MQOO_INQUIRE | mq.MQOO_FAIL_IF_QUIESCING
_WHOLE: Final = mq.MQGMO_PROPERTIES_FORCE_MQRFH2  # what is put elsewhere loses nothing
_BROWSE: Final = mq.MQGMO_BROWSE_NEXT | mq.MQGMO_FAIL_IF_QUIESCING | _WHOLE
_GROUPED: Final = mq.MQMF_MSG_IN_GROUP | mq.MQMF_LAST_MSG_IN_GROUP
_LETTER: Final = "MQDEAD"


class Letter:
    """A message of the queue, taken apart."""

    def __init__(self, message: Message) -> None:
        self.token = message.token
        self.md = message.descriptor
        order = LITTLE if self.md.encoding & 0xF == 2 else BIG
        ccsid = self.md.ccsid if self.md.ccsid > 0 else 1208
        self.header = DeadLetterHeader.unpack(message.data, 0, order, ccsid)
        self.data = message.data[self.header.size() :]
        self.whole = message.data

    @property
    def group(self) -> bytes:
        """The GroupId of a message in a group; else nothing."""
        return self.md.group_id if self.md.msg_flags & _GROUPED else b""

    def bare_descriptor(self) -> Descriptor:
        """The descriptor of the message without its header: as it was sent."""
        md = self.md.copy()
        md.format = self.header.format
        md.ccsid = self.header.ccsid
        md.encoding = self.header.encoding
        return md


class Plan:
    """What is still to be tried with a message, and when."""

    def __init__(self, token: bytes, rules: list[Rule], group: bytes) -> None:
        self.token = token
        self.rules = rules
        self.group = group
        self.tries = 0
        self.due = 0.0


class DeadLetters:
    """One run over one queue."""

    def __init__(
        self,
        connection: Connection,
        queue: Queue,
        table: RulesTable,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.connection = connection
        self.queue = queue
        self.table = table
        self.clock = clock
        self.moved = self.discarded = self.left = 0
        self._plans: dict[bytes, Plan] = {}
        self._done: set[bytes] = set()  # tokens that went with their group

    def run(self) -> None:
        """Until there is nothing more to do and nothing came while the table says to wait."""
        while True:
            message = self._next(self._patience())
            if message is not None:
                self._look_at(message)
            due = [plan for plan in self._plans.values() if plan.due <= self.clock()]
            for plan in due:
                self._try(plan)
            if message is None and not due and not self._plans:
                return
            if message is None and not due and self.table.wait_s == 0.0:
                self._plans.clear()  # WAIT(NO): what must be tried again later is left
                return

    def _patience(self) -> float:
        """How long to wait for a message: until the next try is due, or as the table says."""
        if not self._plans:
            return self.table.wait_s
        if self.table.wait_s == 0.0:
            return 0.0
        soonest = min(plan.due for plan in self._plans.values())
        return max(soonest - self.clock(), 0.0)

    def _next(self, wait_s: float) -> Message | None:
        return self.queue.try_get(wait=wait_s, options=_BROWSE)

    def _look_at(self, message: Message) -> None:
        if message.token in self._done:
            self._done.discard(message.token)
            return
        letter = _letter(message)
        if letter is None:
            self.left += 1
            write_now(message_line("AMQ8721W"))
            return
        rules = [rule for rule in self.table.rules if rule.matches(letter.md, letter.header)]
        if any(letter.group and plan.group == letter.group for plan in self._plans.values()):
            return  # it goes with its group
        self._plans[message.token] = Plan(message.token, rules, letter.group)

    # ---- one try

    def _try(self, plan: Plan) -> None:
        while plan.rules:
            rule = plan.rules[0]
            if rule.action == IGNORE:
                self.left += 1
                break
            plan.tries += 1
            if self._act(plan, rule):
                break
            if plan.tries < rule.tries:
                plan.due = self.clock() + self.table.retry_interval_s
                return
            del plan.rules[0]
            plan.tries = 0
        else:
            self.left += 1
        self._plans.pop(plan.token, None)

    def _act(self, plan: Plan, rule: Rule) -> bool:
        """Take the action, whole or not at all; False if it has to be tried again."""
        connection = self.connection
        tokens = self._tokens(plan)
        connection.begin()
        try:
            for token in tokens:
                message = self.queue.try_get(token=token, options=_WHOLE)
                if message is not None:
                    self._handle(message, rule)
            connection.commit()
        except MQError as error:
            connection.backout()
            write_now(message_line("AMQ8722W", (rule.line, error.reason)))
            return False
        if rule.action == DISCARD:
            self.discarded += len(tokens)
        else:
            self.moved += len(tokens)
        self._done.update(token for token in tokens if token != plan.token)
        return True

    def _tokens(self, plan: Plan) -> list[bytes]:
        """The message, or all of its group in their order."""
        if not plan.group:
            return [plan.token]
        members: list[tuple[int, int, bytes]] = []
        for message in self.queue.browse():
            md = message.descriptor
            if md.msg_flags & _GROUPED and md.group_id == plan.group:
                members.append((md.msg_seq_number, md.offset, message.token))
        return [token for _, _, token in sorted(members)]

    def _handle(self, message: Message, rule: Rule) -> None:
        if rule.action == DISCARD:
            return
        letter = Letter(message)
        name, qmgr = rule.target(letter.md, letter.header)
        if rule.action == RETRY or not rule.keeps_header:
            md, data = letter.bare_descriptor(), letter.data
        else:
            md, data = letter.md.copy(), letter.whole
        md.backout_count = 0
        self.connection.put(
            name,
            data,
            descriptor=md,
            qmgr_name=qmgr,
            alternate_user=md.user_id if rule.as_sender else "",
            options=mq.MQPMO_SET_ALL_CONTEXT,
        )


def _letter(message: Message) -> Letter | None:
    if message.format != _LETTER:
        return None
    try:
        return Letter(message)
    except MQError:
        return None
