"""Commands on Spark, or without it where there is little to read; errors as a sentence."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from ternmq.cli.output import write_error
from ternmq.cli.own_process import is_own_process

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FAILED: Final = 71


def without_spark(name: str, work: Callable[[], int]) -> int:
    """Do some work in this process, by the functions that otherwise run on Spark; the exit status
    is the work's, or FAILED after a sentence."""
    from ternmq.spark.errors import SparkError
    from ternmq.spark.frames import pandas_import
    from ternmq.spark.frames.functions import in_process

    if is_own_process():
        pandas_import.prevent()
    try:
        with in_process():
            return work()
    except BrokenPipeError:  # the reader of the output has ended: the entry knows what to do
        raise
    except (SparkError, ValueError, OSError) as error:
        write_error(f"{name}: {error}")
        return FAILED


def has_arrow() -> bool:
    """Whether what `ternmq[spark]` installs is there; without it Spark's start says what to do."""
    return importlib.util.find_spec("pyarrow") is not None


def in_spark(name: str, master: str, quiet: bool, work: Callable[[SparkSession], int]) -> int:
    """Do some work with Spark; the exit status is the work's, or FAILED after a sentence. A
    session that runs already is used, and left as it is."""
    from ternmq.spark.errors import SparkError, explained
    from ternmq.spark.session import close, is_running, log_of, session

    is_ours = not is_running()
    try:
        if is_ours and not quiet:
            write_error(f"{name}: starting Spark")
        spark = session(name, master=master)
        try:
            with explained(log_of(spark)):
                return work(spark)
        finally:
            if is_ours:
                close(spark)
    except (SparkError, ValueError) as error:
        write_error(f"{name}: {error}")
        return FAILED
