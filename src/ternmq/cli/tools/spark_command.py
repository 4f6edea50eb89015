"""Commands that need Spark: a session for as long as the work takes, and errors as a sentence."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from ternmq.cli.output import write_error

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FAILED: Final = 71


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
