"""Makes the Spark source `mqsmf` known to every session, without a call of ours.

Before Spark resolves the first name of a source that is written in Python, it imports all modules
whose names begin with `pyspark_` and takes their `DefaultSource`. It guards none of these imports:
one that raises takes all other Python sources with it. So nothing is raised here, whatever is
missing; a query that uses the source then gets an error that says so.
"""

from __future__ import annotations

__all__ = ["DefaultSource"]

try:
    from ternmq.spark.smf.smf_source import SmfSource as DefaultSource
except Exception as error:  # not only ImportError: NumPy and Arrow have others where versions clash
    _REASON = f"{type(error).__name__}: {error}"
    try:
        from pyspark.sql.datasource import DataSource
    except Exception:  # without PySpark nobody looks for it
        __all__ = []
    else:

        class DefaultSource(DataSource):  # type: ignore[no-redef]
            """Stands for the source where it cannot be imported."""

            def __init__(self, options: dict[str, str]) -> None:
                raise ImportError(
                    f"the source mqsmf cannot be imported ({_REASON}): pip install 'ternmq[spark]'"
                )

            @classmethod
            def name(cls) -> str:
                return "mqsmf"
