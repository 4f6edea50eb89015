"""One entry of an error log, as text and as JSON.

As text, in 79 columns:

    11/16/26 01:46:07 - Process(4711.1) User(mqm) Program(strmqm)
                        Host(box) Installation(Installation1)
                        VRMF(0.1.0.0) QMgr(QM1)
                        Time(2026-11-16T01:46:07.123Z)
                        ArithInsert1(95)
                        CommentInsert1(QM1)

    AMQ8004I: TernMQ queue manager 'QM1' ended.

    EXPLANATION:
    TernMQ queue manager 'QM1' ended.
    ACTION:
    None.
    -------------------------------------------------------------------------------

The date is local, `Time` is UTC. Numbers among the inserts are ArithInserts (two at most), texts
CommentInserts (three at most). As JSON it is one object a line, with the names of fields that log
shippers know.
"""

from __future__ import annotations

import getpass
import json
import os
import re
import socket
import sys
import textwrap
import threading
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from ternmq.base.message_table import fill, message_row
from ternmq.base.visible_text import visible

WIDTH: Final = 79
_INDENT: Final = " " * 20
_LOG_LEVELS: Final = {"I": "INFO", "W": "WARNING", "E": "ERROR", "S": "SEVERE", "T": "SEVERE"}
ARITHMETIC_MAX: Final = 2
COMMENTS_MAX: Final = 3
_MARK: Final = re.compile(r"-----|AMQ[0-9]{4}|[A-Z]+:$")


class Origin:
    """The process that writes: the same for all its entries."""

    def __init__(
        self,
        qmgr: str,
        version: str,
        *,
        installation: str = "Installation1",
        installation_dir: str = "",
        qmgr_id: str = "",
        program: str = "",
    ) -> None:
        self.qmgr = qmgr
        self.qmgr_id = qmgr_id
        self.vrmf = vrmf(version)
        self.installation = installation
        self.installation_dir = installation_dir or sys.prefix
        self.program = program or os.path.basename(sys.argv[0]) or "python"
        self.host = socket.gethostname()
        self.user = _user()


def vrmf(version: str) -> str:
    """Version, release, modification, fix pack: `0.1.0.dev0` is 0.1.0.0."""
    parts = [part for part in version.split(".") if part.isdigit()]
    return ".".join((parts + ["0"] * 4)[:4])


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return str(os.getuid())


class LogEntry:
    """One entry; what it says is fixed when it is made."""

    def __init__(
        self,
        origin: Origin,
        message_id: str,
        inserts: Sequence[object] = (),
        *,
        remote_host: str = "",
        module: str = "",
        when: datetime | None = None,
    ) -> None:
        self.origin = origin
        self.message_id = message_id
        self.inserts = tuple(one if isinstance(one, int) else visible(one) for one in inserts)
        self.remote_host = visible(remote_host)
        self.module = module
        self.when = when or datetime.now(UTC)
        self.process = os.getpid()
        self.thread = threading.get_native_id()
        self.row = message_row(message_id)

    @property
    def severity(self) -> str:
        """The letter at the end of the id."""
        return self.message_id[-1]

    @property
    def summary(self) -> str:
        """Id and text in one line."""
        return f"{self.message_id}: {fill(self.row.text, self.inserts)}"

    def named_inserts(self) -> dict[str, object]:
        """ArithInsert1 and its kin, those that are there."""
        numbers = [one for one in self.inserts if isinstance(one, int)]
        texts = [str(one) for one in self.inserts if not isinstance(one, int) and str(one)]
        named: dict[str, object] = {}
        for at, number in enumerate(numbers[:ARITHMETIC_MAX], 1):
            named[f"ArithInsert{at}"] = number
        for at, text in enumerate(texts[:COMMENTS_MAX], 1):
            named[f"CommentInsert{at}"] = text
        return named

    def time(self) -> str:
        """UTC, to the millisecond."""
        return self.when.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.") + (
            f"{self.when.microsecond // 1000:03d}Z"
        )

    def as_text(self) -> str:
        """The entry as people read it."""
        origin = self.origin
        local = self.when.astimezone().strftime("%m/%d/%y %H:%M:%S")
        lines = [
            f"{local} - Process({self.process}.{self.thread}) User({origin.user}) "
            f"Program({origin.program})",
            f"{_INDENT}Host({origin.host}) Installation({origin.installation})",
            f"{_INDENT}VRMF({origin.vrmf})" + (f" QMgr({origin.qmgr})" if origin.qmgr else ""),
            f"{_INDENT}Time({self.time()})",
        ]
        if self.remote_host:
            lines.append(f"{_INDENT}RemoteHost({self.remote_host})")
        lines += [f"{_INDENT}{name}({_one_line(v)})" for name, v in self.named_inserts().items()]
        lines += [_INDENT, *_wrapped(self.summary), "", "EXPLANATION:"]
        lines += _wrapped(fill(self.row.explanation, self.inserts))
        lines += ["ACTION:", *_wrapped(fill(self.row.action, self.inserts))]
        lines.append(f"----- {self.module} ".ljust(WIDTH, "-") if self.module else "-" * WIDTH)
        return "\n".join(lines) + "\n"

    def as_json(self) -> str:
        """The entry as one line of JSON."""
        origin = self.origin
        stamp = self.when.timestamp()
        value: dict[str, object] = {"ibm_messageId": self.message_id}
        for name, insert in self.named_inserts().items():
            value[f"ibm_{name[0].lower()}{name[1:]}"] = insert
        value |= {
            "ibm_datetime": self.time(),
            "ibm_serverName": origin.qmgr,
            "type": "mq_log",
            "host": origin.host,
            "loglevel": _LOG_LEVELS.get(self.severity, "INFO"),
            "module": self.module,
            "ibm_sequence": f"{int(stamp)}_{self.when.microsecond * 1000:09d}",
        }
        if self.remote_host:
            value["ibm_remoteHost"] = self.remote_host
        if origin.qmgr_id:
            value["ibm_qmgrId"] = origin.qmgr_id
        value |= {
            "ibm_processId": str(self.process),
            "ibm_threadId": str(self.thread),
            "ibm_version": origin.vrmf,
            "ibm_processName": origin.program,
            "ibm_userName": origin.user,
            "ibm_installationName": origin.installation,
            "ibm_installationDir": origin.installation_dir,
            "message": self.summary,
        }
        return json.dumps(value, ensure_ascii=False) + "\n"


def _one_line(value: object) -> str:
    return " ".join(str(value).split())


def _wrapped(text: str) -> list[str]:
    """In the width of the log; a long word (a path) stays whole. What was inserted must not look
    like the end of this entry or the beginning of another."""
    lines = textwrap.wrap(text, WIDTH, break_long_words=False, break_on_hyphens=False) or [""]
    return lines[:1] + [f" {line}" if _MARK.match(line) else line for line in lines[1:]]
