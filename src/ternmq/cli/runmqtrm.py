"""runmqtrm: the trigger monitor. Gets trigger messages from an initiation queue and starts the
program that each names, one after the other, with the trigger message as its argument.

The command is what MQ's monitor makes of it: the program of the process definition, MQTMC2 in
quotes, and the process's environment data, run by the shell. So environment data of `&` lets a
program run beside the monitor.
"""

from __future__ import annotations

import shlex
import subprocess
from datetime import datetime
from typing import TYPE_CHECKING, Final

from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.base.message_table import message_text
from ternmq.base.reasons import MQRC_CONNECTION_BROKEN, MQRC_Q_MGR_QUIESCING, MQRC_Q_MGR_STOPPING
from ternmq.cli import attach
from ternmq.cli.arguments import CommandLine
from ternmq.cli.output import write_now
from ternmq.client.message import Message
from ternmq.codec.layout import BIG, LITTLE
from ternmq.codec.mqdlh import DeadLetterHeader
from ternmq.codec.mqtm import TriggerMessage
from ternmq.codec.mqtmc import TriggerMessageText

if TYPE_CHECKING:
    from ternmq.cli.attach import AnyConnection, AnyQueue

ABOUT: Final = "start programs when messages arrive: the trigger monitor"
INITIATION_QUEUE: Final = "SYSTEM.DEFAULT.INITIATION.QUEUE"
INTERRUPTED: Final = 10
NOT_RUN: Final = 20
WAIT_S = -1.0  # without end
_ENDINGS: Final = (MQRC_Q_MGR_QUIESCING, MQRC_Q_MGR_STOPPING, MQRC_CONNECTION_BROKEN)
_STARTABLE: Final = (mq.MQAT_UNIX, mq.MQAT_DEFAULT)
_OPEN_ERRORS: Final = {2085: "AMQ8609E", 2042: "AMQ8610E", 2035: "AMQ8604E"}
_GET: Final = mq.MQGMO_FAIL_IF_QUIESCING


def main(argv: list[str]) -> int:
    """Run the command."""
    line = CommandLine("runmqtrm", ABOUT, NOT_RUN)
    line.add_argument("-m", metavar="QMGR", default="", help="the queue manager")
    line.add_argument("-q", metavar="QUEUE", default=INITIATION_QUEUE, help="the initiation queue")
    asked = line.parse_args(argv)
    try:
        connection = attach.attach(asked.m, "runmqtrm")
    except MQError as error:
        tell("AMQ8605E" if error.reason == 2059 else "AMQ8607E")
        write_now(str(error))
        return NOT_RUN
    with connection:
        try:
            queue = connection.queue(
                asked.q, options=mq.MQOO_INPUT_AS_Q_DEF | mq.MQOO_FAIL_IF_QUIESCING
            )
        except MQError as error:
            tell(_OPEN_ERRORS.get(error.reason, "AMQ8611E"))
            write_now(str(error))
            return NOT_RUN
        tell("AMQ8601I")
        return _monitor(connection, queue)


def tell(message_id: str, *inserts: object) -> None:
    """A line of the monitor: when, and what."""
    now = datetime.now().astimezone().strftime("%m/%d/%y  %H:%M:%S")
    write_now(f"{now} : {message_text(message_id, inserts)}")


def _monitor(connection: AnyConnection, queue: AnyQueue) -> int:
    while True:
        write_now("_" * 50)
        tell("AMQ8612I")
        try:
            message = queue.try_get(wait=WAIT_S, options=_GET, syncpoint=False)
        except MQError as error:
            if error.reason in _ENDINGS:
                tell("AMQ8602I")
                return 0
            tell("AMQ8614E" if error.reason == 2016 else "AMQ8615E")
            write_now(str(error))
            return INTERRUPTED
        if message is None:
            tell("AMQ8602I")
            return 0
        _serve(connection, message)


def _serve(connection: AnyConnection, message: Message) -> None:
    order = LITTLE if message.descriptor.encoding & 0xF == 2 else BIG
    ccsid = message.descriptor.ccsid if message.descriptor.ccsid > 0 else 1208
    try:
        trigger = TriggerMessage.unpack(message.data, 0, order, ccsid)
    except MQError:
        tell("AMQ8617E")
        _bury(connection, message, mq.MQFB_TM_ERROR)
        return
    if trigger.application_type not in _STARTABLE:
        tell("AMQ8619E", trigger.application_type)
        _bury(connection, message, mq.MQFB_APPL_TYPE_ERROR)
        return
    command = command_of(trigger, connection.name)
    write_now(command)
    status = start(command)
    if status:
        tell("AMQ8618E", f"status {status}")
        if status in (126, 127):  # the shell's own: it could not be started at all
            _bury(connection, message, mq.MQFB_APPL_CANNOT_BE_STARTED)
    tell("AMQ8616I")


def command_of(trigger: TriggerMessage, qmgr: str) -> str:
    """What the shell shall run."""
    text = TriggerMessageText(
        queue_name=trigger.queue_name,
        process_name=trigger.process_name,
        trigger_data=trigger.trigger_data,
        application_type="",
        application_id=trigger.application_id,
        environment_data=trigger.environment_data,
        user_data=trigger.user_data,
        qmgr_name=qmgr,
    )
    argument = shlex.quote(text.pack().decode("utf-8", "replace"))
    return f"{trigger.application_id} {argument} {trigger.environment_data}".rstrip()


def start(command: str) -> int:
    """Run it and wait for its end; its status. The command is the administrator's: it stands in a
    process definition, which only he can change."""
    return subprocess.run(command, shell=True, check=False).returncode


def _bury(connection: AnyConnection, message: Message, reason: int) -> None:
    """To the dead-letter queue; without one, or if it does not take it, the message is gone, as the
    message that was told says."""
    name = str(connection.qmgr_attributes().get("dead_letter_queue", ""))
    if not name:
        return
    md = message.descriptor.copy()
    header = DeadLetterHeader(
        reason=reason,
        destination_queue=md.reply_to_queue,
        destination_qmgr=connection.name,
        encoding=md.encoding,
        ccsid=md.ccsid,
        format=md.format,
        put_appl_type=mq.MQAT_UNIX,
        put_appl_name="runmqtrm",
    )
    md.format = mq.MQFMT_DEAD_LETTER_HEADER
    md.encoding = mq.MQENC_NATIVE
    md.ccsid = 1208
    try:
        connection.put(name, header.pack() + message.data, descriptor=md)
    except MQError as error:
        write_now(str(error))
