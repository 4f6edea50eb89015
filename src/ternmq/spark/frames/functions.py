"""`f` and `Window` for code that runs on Spark and, for small data, in this process.

A calculation that imports them from here, and takes and returns DataFrames, is written once. By
default they are those of PySpark. Within `in_process()` they are those of this package, which have
the same names and meaning and work on `frame.Frame`: Arrow columns, no Java.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final

__all__ = ["Window", "f", "in_process", "is_in_process"]

_IN_PROCESS: Final[ContextVar[bool]] = ContextVar("in_process", default=False)


@contextmanager
def in_process() -> Iterator[None]:
    """Let `f` and `Window` be those of this package."""
    token = _IN_PROCESS.set(True)
    try:
        yield
    finally:
        _IN_PROCESS.reset(token)


def is_in_process() -> bool:
    """Whether calculations run in this process."""
    return _IN_PROCESS.get()


class _Chosen:
    """A module or class of PySpark, or what stands for it here."""

    def __init__(self, spark: tuple[str, str], here: tuple[str, str]) -> None:
        self._spark: Final = spark
        self._here: Final = here

    def __getattr__(self, name: str) -> Any:
        module, inside = self._here if is_in_process() else self._spark
        found: Any = importlib.import_module(module)
        return getattr(getattr(found, inside) if inside else found, name)


if TYPE_CHECKING:
    from pyspark.sql import Window
    from pyspark.sql import functions as f
else:
    f = _Chosen(("pyspark.sql.functions", ""), ("ternmq.spark.frames.column_functions", ""))
    Window = _Chosen(("pyspark.sql", "Window"), ("ternmq.spark.frames.window_columns", "Window"))
