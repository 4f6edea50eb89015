"""Errors of Spark as one sentence and the path of the log.

Spark's own errors are stack traces of two languages, one inside the other. What a person can act on
is in one line of them: of the error that a worker's Python raised, or of the last cause that Java
names. The rest stays in the log. REMEDIES has what to do about those that newcomers meet.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

SENTENCE_MAX: Final = 500
# The last line of a Python traceback, which begins at the left margin, perhaps behind Java's words.
_PYTHON: Final = re.compile(r"^(?:[A-Za-z_][\w.]*\.)?([A-Za-z_]\w*): (.+)$")
_CAUSE: Final = re.compile(r"^Caused by: (?:[\w$]+\.)*([\w$]+)(?:: (.*))?$", re.MULTILINE)
_CONDITION: Final = re.compile(r"^\[[A-Z0-9_.]+\] ")
_STATE: Final = re.compile(r"(?: SQLSTATE: \w{5})+(?:;.*)?$")
# A format that nobody has registered: what Java names as its cause is of no use.
_NO_FORMAT: Final = re.compile(
    r"\[DATA_SOURCE_NOT_FOUND\] Failed to find the data source: (\S+)\. "
)
# What Spark puts before what made a stream fail; behind it stand identifiers and the plan.
_STREAM: Final = re.compile(r"^Query \[id = [^]]*\] terminated with exception: ")
# What a sentence has in it, and what to do then.
REMEDIES: Final = (
    (
        "MQRC_Q_MGR_NOT_AVAILABLE",
        "`strmqm` starts it, `dspmq` shows whether it runs; option connName must lead to its "
        "listener",
    ),
    (
        "MQRC_Q_MGR_NAME_ERROR",
        "`dspmq` lists the queue managers of a machine; option path says in which data folder "
        "(TERNMQ_DATA), connName and channel lead to one elsewhere",
    ),
    (
        "MQRC_HOST_NOT_AVAILABLE",
        "is option connName the host(port) of its listener, and does it run? DISPLAY LSSTATUS(*) "
        "shows that",
    ),
    (
        "MQRC_UNKNOWN_CHANNEL_NAME",
        "DISPLAY CHANNEL(*) CHLTYPE(SVRCONN) lists what option channel may be",
    ),
    (
        "MQRC_NOT_AUTHORIZED",
        "options user and passwordFile say who connects; SET AUTHREC gives authority, and "
        "SET CHLAUTH lets a channel in",
    ),
    (
        "MQRC_UNKNOWN_OBJECT_NAME",
        "DISPLAY QUEUE(*) lists the queues; capital and small letters differ",
    ),
    (
        "No module named",
        "it is missing in the Python of the workers, which PYSPARK_PYTHON names: pip install "
        "'ternmq[spark]' there, or let PYSPARK_PYTHON be the Python that has it",
    ),
    (
        "Python worker failed to connect back",
        "the machine is too busy, or PYSPARK_PYTHON names a Python without ternmq[spark]",
    ),
    (
        "failOnDataLoss=false",
        "if the checkpoint is that of another queue manager or queue, a new checkpointLocation "
        "begins again",
    ),
    (
        "there is no format mq in",
        "it is found where ternmq[spark] is installed for the Python that PYSPARK_PYTHON names; "
        "elsewhere ternmq.spark.mq.mq_source.register(spark) makes it known",
    ),
    (
        "there is no format mqsmf in",
        "it is found where ternmq[spark] is installed for the Python that PYSPARK_PYTHON names; "
        "elsewhere ternmq.spark.smf.smf_source.register(spark) makes it known",
    ),
    ("Cannot run program", "PYSPARK_PYTHON must name a Python with ternmq[spark]"),
)


class SparkError(Exception):
    """Something that Spark could not do; the text is for people, `log` is where the rest is."""

    def __init__(self, sentence: str, log: Path | None = None) -> None:
        self.sentence: Final = sentence
        self.log: Final = log
        super().__init__(f"{sentence} (log: {log})" if log is not None else sentence)


@contextmanager
def explained(log: Path | None = None) -> Iterator[None]:
    """Whatever Spark raises inside comes out as SparkError, without the stacks and plans of Spark's
    own text; they are in the log, and `__context__` is that error."""
    try:
        yield
    except errors_of_spark() as error:
        raise SparkError(sentence_of(error), log) from None


def errors_of_spark() -> tuple[type[Exception], ...]:
    """What PySpark, and what it is made of, raise; nothing where it is not installed."""
    try:
        from py4j.protocol import Py4JError
        from pyspark.errors import PySparkException
    except ImportError:
        return ()
    return PySparkException, Py4JError


def sentence_of(error: Exception) -> str:
    """The one line of an error of Spark that says what is wrong."""
    text = message_of(error)
    unknown = _NO_FORMAT.search(text)
    if unknown is not None:
        return with_remedy(f"there is no format {unknown[1]} in this session")
    found = raised_by_python(text) or named_by_java(text) or first_line(text)
    found = _STREAM.sub("", _CONDITION.sub("", found))
    found = _STATE.sub("", _CONDITION.sub("", found)).strip()
    if len(found) > SENTENCE_MAX:
        found = found[:SENTENCE_MAX] + "..."
    return with_remedy(found or type(error).__name__)


def with_remedy(sentence: str) -> str:
    """A sentence, and what to do about it if that is known."""
    for part, remedy in REMEDIES:
        if part in sentence:
            return f"{sentence}; {remedy}"
    return sentence


def message_of(error: Exception) -> str:
    """All that an error says, with the causes of Java where they are known."""
    java = getattr(error, "java_exception", None)
    if java is not None:
        return f"{java.toString()}\n{causes_of(java)}"
    return str(error)


def causes_of(java: object) -> str:
    lines: list[str] = []
    cause = java.getCause()  # type: ignore[attr-defined]
    while cause is not None and len(lines) < 20:
        lines.append(f"Caused by: {cause.toString()}")
        cause = cause.getCause()
    return "\n".join(lines)


def raised_by_python(text: str) -> str:
    """The last line of the last traceback in the text."""
    if "Traceback (most recent call last)" not in text:
        return ""
    behind = text.rpartition("Traceback (most recent call last)")[2]
    for line in behind.splitlines()[1:]:
        found = _PYTHON.match(line)
        if found:
            return found[2]
    return ""


def named_by_java(text: str) -> str:
    """The last cause that Java names."""
    causes = _CAUSE.findall(text)
    if not causes:
        return ""
    name, detail = causes[-1]
    return f"{name}: {detail}" if detail else str(name)


def first_line(text: str) -> str:
    for line in text.splitlines():
        if line.strip():
            return line.strip()
    return ""
