"""amqsbcg QUEUE [QMGR]: shows every message whole, its descriptor field by field and its data in
hexadecimal, without taking it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.base.visible_text import visible_in_line
from ternmq.base.words import count_text
from ternmq.cli.output import write, write_lines
from ternmq.cli.samples.sample import MISSING, SampleEnds, connected, report_failure
from ternmq.values.message import Message

if TYPE_CHECKING:
    from ternmq.api.connection import Connection

NAME: Final = "AMQSBCG0"
_BYTES_A_LINE: Final = 16


def main(argv: list[str], client: bool = False) -> int:
    """Run the sample."""
    write(f"{NAME} - starts here")
    write("**********************")
    write(" ")
    if not argv:
        write("Required parameter missing - queue name")
        return MISSING
    try:
        with connected(argv[1] if len(argv) > 1 else "", "amqsbcg", client) as connection:
            _browse(connection, argv[0])
    except SampleEnds as end:
        return end.status
    write(" MQDISC")
    return 0


def _browse(connection: Connection, name: str) -> None:
    write(f" MQOPEN - '{name}'")
    write(" ")
    try:
        queue = connection.queue(name)
    except MQError as error:
        write(f" MQOPEN failed with CompCode:{error.comp}, Reason:{error.reason}")
        return
    sizes: list[int] = []
    try:
        for message in queue.browse(options=mq.MQGMO_PROPERTIES_FORCE_MQRFH2):
            sizes.append(message.length)
            write(" ")
            write(f" MQGET of message number {len(sizes)}, CompCode:0 Reason:0")
            write_lines(descriptor_lines(message))
            write_lines(data_lines(message))
        write_lines([" ", " ", " ", " No more messages "])
        write_lines(summary_lines(sizes))
    except MQError as error:
        report_failure(" MQGET", error)
    finally:
        queue.close()
    write(" MQCLOSE")


def descriptor_lines(message: Message) -> list[str]:
    """The fields of MQMD."""
    md = message.descriptor
    lines = [
        "****Message descriptor****",
        "",
        f"  StrucId  : 'MD  '  Version : {md.version}",
        f"  Report   : {md.report}  MsgType : {md.msg_type}",
        f"  Expiry   : {md.expiry}  Feedback : {md.feedback}",
        f"  Encoding : {md.encoding}  CodedCharSetId : {md.ccsid}",
        f"  Format : '{md.format:<8}'",
        f"  Priority : {md.priority}  Persistence : {md.persistence}",
        f"  MsgId : X'{md.msg_id.hex().upper()}'",
        f"  CorrelId : X'{md.correl_id.hex().upper()}'",
        f"  BackoutCount : {md.backout_count}",
        f"  ReplyToQ       : '{md.reply_to_queue:<48}'",
        f"  ReplyToQMgr    : '{md.reply_to_qmgr:<48}'",
        "  ** Identity Context",
        f"  UserIdentifier : '{md.user_id:<12}'",
        "  AccountingToken : ",
        f"   X'{md.accounting_token.hex().upper()}'",
        f"  ApplIdentityData : '{md.appl_identity_data:<32}'",
        "  ** Origin Context",
        f"  PutApplType    : '{md.put_appl_type}'",
        f"  PutApplName    : '{md.put_appl_name:<28}'",
        f"  PutDate  : '{md.put_date:<8}'    PutTime  : '{md.put_time:<8}'",
        f"  ApplOriginData : '{md.appl_origin_data:<4}'",
        "",
        f"  GroupId : X'{md.group_id.hex().upper()}'",
        f"  MsgSeqNumber   : '{md.msg_seq_number}'",
        f"  Offset         : '{md.offset}'",
        f"  MsgFlags       : '{md.msg_flags}'",
        f"  OriginalLength : '{md.original_length}'",
        " ",
    ]
    return [visible_in_line(line) for line in lines]  # names are the sender's to choose


def data_lines(message: Message) -> list[str]:
    """The data, sixteen bytes a line, in hexadecimal and as characters."""
    data = message.data
    lines = [
        "****   Message      ****",
        " ",
        f" length - {len(data)} of {count_text(message.length, 'byte')}",
        " ",
    ]
    for at in range(0, len(data), _BYTES_A_LINE):
        part = data[at : at + _BYTES_A_LINE]
        pairs = " ".join(part[two : two + 2].hex().upper() for two in range(0, len(part), 2))
        characters = "".join(chr(one) if 32 <= one < 127 else "." for one in part)
        lines.append(f"{at:08X}:  {pairs:<39} '{characters:<16}'")
    return lines


def summary_lines(sizes: list[int]) -> list[str]:
    """How many there were, and how long."""
    lines = ["", "****   Summary      ****", f" {count_text(len(sizes), 'message')} browsed."]
    if sizes:
        lines.append(f" Smallest message {count_text(min(sizes), 'byte')}.")
        lines.append(f" Largest message {count_text(max(sizes), 'byte')}.")
        lines.append(f" Average message {count_text(sum(sizes) // len(sizes), 'byte')}.")
    return [*lines, ""]
