"""Goal: MQGMO_CONVERT for programs of pymqi and ibmmq: what is converted, and the warnings, which
these libraries raise with the message.
Method: text, headers and PCF in EBCDIC, on the machine and through a channel.
"""

from __future__ import annotations

from typing import Any

import pytest

from ternmq.compat.pymqi import CMQC
from tests.compat.conftest import Program
from tests.unit.codec.test_header_conversion import HERE, HOST, dlh, pcf

pytestmark = pytest.mark.core

ACCEPT = CMQC.MQGMO_ACCEPT_TRUNCATED_MSG
ROWS = [
    ("MQSTR", HOST.c("text"), HERE.c("text")),
    ("MQDEAD", dlh(HOST, "MQSTR") + HOST.c("text"), dlh(HERE, "MQSTR") + b"text"),
    ("MQPCF", pcf(HOST), pcf(HERE)),
]


def put(program: Program, queue: Any, format: str, data: bytes, ccsid: int = 500) -> None:
    name = format.ljust(8).encode()
    queue.put(data, program.md(Format=name, CodedCharSetId=ccsid, Encoding=273))


@pytest.mark.parametrize(("format", "data", "wanted"), ROWS)
def test_convert_when_asked_then_data_and_mqmd_are_in_the_target(
    program: Program, format: str, data: bytes, wanted: bytes
) -> None:
    queue = program.queue("A")
    put(program, queue, format, data)
    md = program.md(CodedCharSetId=1208, Encoding=546)
    assert queue.get(None, md, program.gmo(Options=CMQC.MQGMO_CONVERT)) == wanted
    assert (md.CodedCharSetId, md.Encoding) == (1208, 546)


def test_convert_when_the_mqmd_says_q_mgr_then_the_target_is_its_set(program: Program) -> None:
    queue = program.queue("A")
    put(program, queue, "MQSTR", HOST.c("Grüße"))
    md = program.md()
    gmo = program.gmo(Options=CMQC.MQGMO_CONVERT)
    assert queue.get(None, md, gmo) == "Grüße".encode()
    assert (md.CodedCharSetId, md.Encoding) == (1208, 546)


def test_convert_when_the_mqmd_is_of_version_1_then_the_whole_buffer_counts(
    program: Program,
) -> None:
    """There is room for an MQMDE only if the message has one."""
    queue = program.queue("A")
    longer = b"\xe4" * 120
    for data in (b"\xe4" * 100, longer, longer):
        put(program, queue, "MQSTR", data, 819)

    def md() -> Any:
        return program.library.MD(Version=1, CodedCharSetId=1208, Encoding=546)

    assert queue.get(200, md(), program.gmo(Options=CMQC.MQGMO_CONVERT)) == "ä".encode() * 100
    for options, reason, back in ((0, 2120, longer), (ACCEPT, 2079, "ä".encode() * 100)):
        with pytest.raises(program.error) as caught:
            queue.get(201, md(), program.gmo(Options=CMQC.MQGMO_CONVERT | options))
        assert (caught.value.reason, caught.value.message) == (reason, back)


def test_convert_when_an_mqmde_is_made_then_it_is_in_the_target(program: Program) -> None:
    queue = program.queue("A")
    group = bytes(range(24))
    here = {"Format": b"MQSTR   ", "CodedCharSetId": 1208, "Encoding": 546}
    flags = CMQC.MQMF_LAST_MSG_IN_GROUP
    queue.put(b"text", program.md(**here, GroupId=group, MsgSeqNumber=2, MsgFlags=flags))
    md = program.library.MD(Version=1, CodedCharSetId=500, Encoding=273)
    data = queue.get(None, md, program.gmo(Options=CMQC.MQGMO_CONVERT))
    assert (md.CodedCharSetId, md.Encoding, md.Format) == (500, 273, b"MQHMDE  ")
    assert data[:32] == HOST.c("MDE ") + HOST.i(2, 72) + HOST.next("MQSTR") + HOST.i(0)
    assert data[32:60] == group + HOST.i(2)
    assert data[72:] == HOST.c("text")


@pytest.mark.parametrize(
    ("format", "ccsid", "target", "length", "options", "reason", "back"),
    [
        ("MYFMT", 500, 1208, 9, 0, 2110, b"\xc4"),
        ("MQSTR", 9999, 1208, 9, 0, 2111, b"\xc4"),
        ("MQSTR", 500, 9999, 9, 0, 2115, b"\xc4"),
        ("MQSTR", 1208, 819, 9, 0, 2119, b"\xc4"),
        ("MQSTR", 819, 1208, 1, 0, 2120, b"\xc4"),
        ("MQSTR", 819, 1200, 1, ACCEPT, 2079, b""),
    ],
)
def test_convert_when_it_cannot_be_then_the_warning_comes_with_the_message(
    program: Program,
    format: str,
    ccsid: int,
    target: int,
    length: int,
    options: int,
    reason: int,
    back: bytes,
) -> None:
    queue = program.queue("A")
    put(program, queue, format, b"\xc4", ccsid)
    md = program.md(CodedCharSetId=target, Encoding=546)
    with pytest.raises(program.error) as caught:
        queue.get(length, md, program.gmo(Options=CMQC.MQGMO_CONVERT | options))
    assert (caught.value.comp, caught.value.reason) == (CMQC.MQCC_WARNING, reason)
    assert caught.value.message == back
    if reason != 2079:
        assert (md.CodedCharSetId, md.Encoding) == (ccsid, 273)
    assert program.reason(queue.get) == 2033
