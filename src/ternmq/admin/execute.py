"""From a command to its execution: the command table says which class carries it out.

`execution_of` is what MQSC, PCF and the API call; the shell then attempts the execution until it is
done and takes its answers. Authority is checked here, before anything else is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, final

from ternmq.admin.command_authority import check_command
from ternmq.admin.command_table import CommandRow, row_of
from ternmq.admin.commands import authority_commands
from ternmq.admin.commands.changes import Alter, AlterQueueManager, Clear, Define, Delete
from ternmq.admin.commands.channel_commands import StartChannel, StopChannel
from ternmq.admin.commands.channel_resets import ResetChannel, ResolveChannel
from ternmq.admin.commands.channel_rules import DisplayChannelRules, SetChannelRule
from ternmq.admin.commands.channel_tests import PingChannel, PurgeChannel
from ternmq.admin.commands.cursor_commands import (
    DefineCursor,
    DeleteCursor,
    DisplayCursors,
    ResetCursor,
)
from ternmq.admin.commands.display import DisplayObjects, DisplayQueueManager
from ternmq.admin.commands.initiator_commands import StartInitiator, StopInitiator
from ternmq.admin.commands.ledger_commands import DeleteLedger, DisplayLedger
from ternmq.admin.commands.moving import MoveMessages
from ternmq.admin.commands.subscription_commands import (
    AlterSubscription,
    DefineSubscription,
    DeleteSubscription,
    DisplaySubscriptions,
)
from ternmq.admin.commands.trace_commands import (
    DisplaySystem,
    DisplayTrace,
    ResetQueueManager,
    SetSystem,
    StartTrace,
    StopTrace,
)
from ternmq.admin.commands.work import (
    NotHere,
    PingQueueManager,
    StartPart,
    StopConnection,
    StopPart,
)
from ternmq.admin.events.event_content import COMMANDS_REPORTED, report_command_event
from ternmq.admin.events.event_refresh import RefreshQueueManager
from ternmq.admin.execution import Execution, refusal
from ternmq.admin.mqsc.lexer import SyntaxFault
from ternmq.admin.mqsc.parser import fault_answer, parse
from ternmq.admin.parameter_check import check_parameters
from ternmq.admin.status.channel_status import ChannelStatus
from ternmq.admin.status.connection_status import ApplicationStatus, ConnectionStatus
from ternmq.admin.status.qmgr_status import (
    NoStatus,
    PartStatus,
    QueueManagerStatus,
)
from ternmq.admin.status.queue_status import QueueStatus, ResetQueueStatistics
from ternmq.admin.status.status_display import NOT_FOUND
from ternmq.admin.status.subscription_status import SubscriptionStatus
from ternmq.admin.status.topic_status import (
    ClearTopicString,
    PublishSubscribeStatus,
    TopicStatus,
)
from ternmq.base.command_reasons import MQRCCF_CFH_COMMAND_ERROR
from ternmq.base.constants import MQCC_FAILED
from ternmq.base.errors import MQError
from ternmq.base.reasons import MQRC_UNKNOWN_OBJECT_NAME
from ternmq.kernel.connection import Connection as Link
from ternmq.kernel.kernel import Kernel
from ternmq.values.command import Answer, Command

AuthorityCommand = Callable[[Kernel, Link, Command], list[Answer] | None]
_AUTHORITY: Final[dict[str, AuthorityCommand]] = {
    "set authrec": authority_commands.set_authrec,
    "delete authrec": authority_commands.delete_authrec,
    "entauth": authority_commands.display_entauth,
    "authserv": authority_commands.display_authserv,
    "refresh security": authority_commands.refresh_security,
}


@final
class AuthorityExecution(Execution):
    """The commands about authority, which `authority_commands` carries out."""

    def refusal_of(self, error: MQError) -> Answer:
        answer = refusal(error, self.command.name, self.user)
        if error.reason == MQRC_UNKNOWN_OBJECT_NAME:
            answer.message = "AMQ8865E"
        return answer

    def step(self, kernel: Kernel, link: Link) -> bool:
        answers = _AUTHORITY[self.row.runs](kernel, link, self.command)
        if answers is None:
            return False
        if not answers:  # WHERE chooses none
            message, reason = NOT_FOUND["AUTHREC"]
            return self.refuse(message, reason=reason)
        self.answers.extend(answers)
        return True


@final
class Faulty(Execution):
    """A text that is not a command: its answer is there from the beginning."""

    def step(self, kernel: Kernel, link: Link) -> bool:
        return True


@final
class Checked(Execution):
    """Any other execution, behind the check of authority; reported as an event when it is done."""

    def __init__(self, inner: Execution) -> None:
        super().__init__(inner.command, inner.row)
        self._inner = inner
        self._checked = False

    def step(self, kernel: Kernel, link: Link) -> bool:
        kernel.refuse_if_ending(False, self.verb)
        if not self._checked:
            check_command(kernel, link, self.command, self.row)
            check_parameters(self.command, self.row)
            self._checked = True
        inner = self._inner
        events = kernel.events
        done = inner.attempt(kernel, link)
        if done:
            self.answers.extend(inner.answers)
            if (events | kernel.events) & COMMANDS_REPORTED:
                report_command_event(kernel, link, self.command, self.row.pcf, self.answers)
        return done


def _make(row: CommandRow, command: Command) -> Execution:
    runs = row.runs
    if runs in _AUTHORITY:
        return AuthorityExecution(command, row)
    return _MAKERS[runs](command, row)


_MAKERS: Final[dict[str, Callable[[Command, CommandRow], Execution]]] = {
    "define": Define,
    "alter": Alter,
    "alter qmgr": AlterQueueManager,
    "delete": Delete,
    "clear": Clear,
    "display": DisplayObjects,
    "display qmgr": DisplayQueueManager,
    "qstatus": QueueStatus,
    "reset qstats": ResetQueueStatistics,
    "qmstatus": QueueManagerStatus,
    "conn": ConnectionStatus,
    "apstatus": ApplicationStatus,
    "lsstatus": PartStatus,
    "svstatus": PartStatus,
    "pubsub": PublishSubscribeStatus,
    "sbstatus": SubscriptionStatus,
    "chstatus": ChannelStatus,
    "tpstatus": TopicStatus,
    "display policy": NoStatus,
    "clusqmgr": NoStatus,
    "qcluster": NoStatus,
    "tcluster": NoStatus,
    "display authrec": authority_commands.DisplayAuthorityRecords,
    "display chlauth": DisplayChannelRules,
    "set chlauth": SetChannelRule,
    "ping qmgr": PingQueueManager,
    "refresh qmgr": RefreshQueueManager,
    "start listener": StartPart,
    "start service": StartPart,
    "stop listener": StopPart,
    "stop service": StopPart,
    "reset qmgr": ResetQueueManager,
    "start trace": StartTrace,
    "stop trace": StopTrace,
    "display trace": DisplayTrace,
    "set system": SetSystem,
    "display system": DisplaySystem,
    "set log": NotHere,
    "move": MoveMessages,
    "stop conn": StopConnection,
    "start channel": StartChannel,
    "stop channel": StopChannel,
    "ping channel": PingChannel,
    "purge channel": PurgeChannel,
    "reset channel": ResetChannel,
    "resolve channel": ResolveChannel,
    "start chinit": StartInitiator,
    "stop chinit": StopInitiator,
    "later cluster": NotHere,
    "later policy": NotHere,
    "clear topic": ClearTopicString,
    "other platform": NotHere,
    "define sub": DefineSubscription,
    "alter sub": AlterSubscription,
    "delete sub": DeleteSubscription,
    "display sub": DisplaySubscriptions,
    "define cursor": DefineCursor,
    "display cursor": DisplayCursors,
    "reset cursor": ResetCursor,
    "delete cursor": DeleteCursor,
    "display ledger": DisplayLedger,
    "delete ledger": DeleteLedger,
}


def execution_of(command: Command) -> Execution:
    """What carries a command out."""
    row = row_of(command.action, command.noun)
    if row is None:
        none = CommandRow(command.action, command.noun, "", 0, "", "AMQ8561E", 0, {}, ())
        faulty = Faulty(command, none)
        inserts = (command.action, command.noun, "there is no such command")
        answer = Answer("AMQ8561E", inserts, comp=MQCC_FAILED, reason=MQRCCF_CFH_COMMAND_ERROR)
        faulty.answers.append(answer)
        return faulty
    return Checked(_make(row, command))


def mqsc_execution(text: str) -> Execution:
    """What carries out one command that is written as MQSC."""
    try:
        return execution_of(parse(text))
    except SyntaxFault as fault:
        none = CommandRow("", "", "", 0, "", "", 0, {}, ())
        faulty = Faulty(Command("", ""), none)
        faulty.verb = "MQSC"
        faulty.answers.append(fault_answer(fault))
        return faulty
