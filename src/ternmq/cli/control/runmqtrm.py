"""runmqtrm: the trigger monitor. Gets trigger messages from an initiation queue and starts the
program that each names, one after the other, with the trigger message as its argument.

The command is what MQ's monitor makes of it: the program of the process definition, MQTMC2 as one
argument, and the process's environment data. It is split into words as a shell would, but no shell
runs it: nothing is expanded, and of a shell's operators only `&` at the end means something, that
the program runs beside the monitor. For more, name a script.

Only trigger messages of the queue manager itself count: format MQTRIG, and in their context the
PutApplType MQAT_QMGR, which an application can give to a message only with authority to set or pass
all context on the initiation queue. Others go to the dead-letter queue.
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
from ternmq.codec.headers.mqdlh import DeadLetterHeader
from ternmq.codec.headers.mqtm import TriggerMessage
from ternmq.codec.headers.mqtmc import TriggerMessageText
from ternmq.codec.mqi.layout import BIG, LITTLE
from ternmq.values.message import Message

if TYPE_CHECKING:
    from ternmq.api.connection import Connection
    from ternmq.api.queue import Queue

ABOUT: Final = "start programs when messages arrive: the trigger monitor"
INITIATION_QUEUE: Final = "SYSTEM.DEFAULT.INITIATION.QUEUE"
INTERRUPTED: Final = 10
NOT_RUN: Final = 20
WAIT_S = -1.0  # without end
_ENDINGS: Final = (MQRC_Q_MGR_QUIESCING, MQRC_Q_MGR_STOPPING, MQRC_CONNECTION_BROKEN)
_STARTABLE: Final = (mq.MQAT_UNIX, mq.MQAT_DEFAULT)
_OPEN_ERRORS: Final = {2085: "AMQ8609E", 2042: "AMQ8610E", 2035: "AMQ8604E"}
_GET: Final = mq.MQGMO_FAIL_IF_QUIESCING
_OPERATORS: Final = "();<>|&"
_CANNOT_RUN: Final = 126  # as a shell would say it
_NOT_FOUND: Final = 127
_beside: Final[list[subprocess.Popen[bytes]]] = []  # programs that run beside the monitor


def main(argv: list[str]) -> int:
    """Run the command."""
    line = CommandLine("runmqtrm", ABOUT, NOT_RUN)
    line.add_argument("-m", metavar="QMGR", default="", help="the queue manager")
    line.add_argument("-q", metavar="QUEUE", default=INITIATION_QUEUE, help="the initiation queue")
    asked = line.parse_args(argv)
    try:
        connection = attach.attach(asked.m, "runmqtrm")
    except MQError as error:
        write_line("AMQ8605E" if error.reason == 2059 else "AMQ8607E")
        write_now(str(error))
        return NOT_RUN
    with connection:
        try:
            queue = connection.queue(
                asked.q, options=mq.MQOO_INPUT_AS_Q_DEF | mq.MQOO_FAIL_IF_QUIESCING
            )
        except MQError as error:
            write_line(_OPEN_ERRORS.get(error.reason, "AMQ8611E"))
            write_now(str(error))
            return NOT_RUN
        write_line("AMQ8601I")
        return _monitor(connection, queue)


def write_line(message_id: str, *inserts: object) -> None:
    """A line of the monitor: when, and what."""
    now = datetime.now().astimezone().strftime("%m/%d/%y  %H:%M:%S")
    write_now(f"{now} : {message_text(message_id, inserts)}")


def _monitor(connection: Connection, queue: Queue) -> int:
    while True:
        write_now("_" * 50)
        write_line("AMQ8612I")
        try:
            message = queue.try_get(wait=WAIT_S, options=_GET, syncpoint=False)
        except MQError as error:
            if error.reason in _ENDINGS:
                write_line("AMQ8602I")
                return 0
            write_line("AMQ8614E" if error.reason == 2016 else "AMQ8615E")
            write_now(str(error))
            return INTERRUPTED
        if message is None:
            write_line("AMQ8602I")
            return 0
        _serve(connection, message)


def _serve(connection: Connection, message: Message) -> None:
    if not is_own(message):
        write_line("AMQ8617E")
        _bury(connection, message, mq.MQFB_TM_ERROR)
        return
    order = LITTLE if message.descriptor.encoding & 0xF == 2 else BIG
    ccsid = message.descriptor.ccsid if message.descriptor.ccsid > 0 else 1208
    try:
        trigger = TriggerMessage.unpack(message.data, 0, order, ccsid)
    except MQError:
        write_line("AMQ8617E")
        _bury(connection, message, mq.MQFB_TM_ERROR)
        return
    if trigger.application_type not in _STARTABLE:
        write_line("AMQ8619E", trigger.application_type)
        _bury(connection, message, mq.MQFB_APPL_TYPE_ERROR)
        return
    try:
        words, beside = words_of(trigger, connection.name)
    except ValueError as error:
        write_line("AMQ8618E", str(error))
        write_now(str(error))
        _bury(connection, message, mq.MQFB_APPL_CANNOT_BE_STARTED)
        return
    write_now(shlex.join(words) + (" &" if beside else ""))
    status = start(words, beside)
    if status:
        write_line("AMQ8618E", f"status {status}")
        if status in (_CANNOT_RUN, _NOT_FOUND):
            _bury(connection, message, mq.MQFB_APPL_CANNOT_BE_STARTED)
    write_line("AMQ8616I")


def is_own(message: Message) -> bool:
    """Whether the queue manager itself made the message."""
    md = message.descriptor
    return md.format == mq.MQFMT_TRIGGER and md.put_appl_type == mq.MQAT_QMGR


def words_of(trigger: TriggerMessage, qmgr: str) -> tuple[list[str], bool]:
    """Program and arguments, and whether it shall run beside the monitor. ValueError for quotes
    that do not end and for operators of a shell."""
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
    program = _split("APPLICID", trigger.application_id)
    environment = _split("ENVRDATA", trigger.environment_data)
    beside = environment[-1:] == ["&"]
    if beside:
        environment.pop()
    for word in program + environment:
        if not word.strip(_OPERATORS):
            raise ValueError(
                f"{word!r} is an operator of a shell, and no shell runs the program; put the "
                "command into a script and name that in APPLICID"
            )
    if not program:
        raise ValueError("APPLICID of the process names no program")
    return [*program, text.pack().decode("utf-8", "replace"), *environment], beside


def _split(keyword: str, text: str) -> list[str]:
    lexer = shlex.shlex(text, posix=True, punctuation_chars=_OPERATORS)
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        return [word for word in lexer if word]
    except ValueError as error:
        raise ValueError(f"{keyword} {text!r}: {error}") from error


def start(words: list[str], beside: bool) -> int:
    """Run it and, unless it shall run beside the monitor, wait for its end; its status."""
    _beside[:] = [process for process in _beside if process.poll() is None]
    try:
        process = subprocess.Popen(words)
    except FileNotFoundError:
        return _NOT_FOUND
    except (OSError, ValueError):
        return _CANNOT_RUN
    if beside:
        _beside.append(process)
        return 0
    return process.wait()


def _bury(connection: Connection, message: Message, reason: int) -> None:
    """To the dead-letter queue; without one, or if it does not take it, the message is gone, as the
    error message says."""
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
