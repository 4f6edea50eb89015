"""Goal: without PySpark the package can be imported, and says what to install when it is used.

Method: a process in which PySpark, Arrow and NumPy cannot be imported.
"""

import importlib
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

WITHOUT = """
import sys

for name in ("pyspark", "py4j", "pyarrow", "numpy", "pandas"):
    sys.modules[name] = None

import ternmq.spark
from ternmq.spark.errors import SparkError, explained
from ternmq.spark.session import session
import ternmq.spark.smf.section_columns

with explained():
    pass
try:
    session()
except SparkError as error:
    sys.stdout.write(str(error))
"""


def test_session_when_pyspark_is_missing_then_the_sentence_says_what_to_install() -> None:
    output = subprocess.run(
        [sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=False
    )
    assert output.stderr == ""
    assert output.stdout == "PySpark is not installed for this Python: pip install 'ternmq[spark]'"


@pytest.mark.spark
def test_session_when_one_is_there_then_it_is_taken(spark: "SparkSession") -> None:
    from ternmq.spark.session import log_of, session

    assert session() is spark
    assert log_of(spark) is not None
    assert spark.conf.get("spark.sql.session.timeZone") == "UTC"


@pytest.mark.parametrize("chosen", ["", sys.executable, "/opt/other/bin/python3"])
def test_home_when_workers_have_another_python_then_it_stays_as_it_is(
    chosen: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That one may have no PySpark of its own: it needs the archive of the home."""
    from ternmq.spark.session import lighter_home

    monkeypatch.delenv("SPARK_HOME", raising=False)
    monkeypatch.delenv("PYSPARK_PYTHON", raising=False)
    if chosen:
        monkeypatch.setenv("PYSPARK_PYTHON", chosen)
    with lighter_home("local[2]"):
        assert ("SPARK_HOME" in os.environ) == (chosen in ("", sys.executable))
    assert "SPARK_HOME" not in os.environ


@pytest.mark.spark
def test_workers_when_started_here_then_they_import_what_is_installed(
    spark: "SparkSession",
) -> None:
    """From Spark's archive a worker takes three times as long to come up."""

    def where(_: object) -> str:
        import pyspark

        return str(pyspark.__file__)

    (reported,) = spark.sparkContext.parallelize([0], 1).map(where).collect()
    assert ".zip" not in reported


@pytest.mark.spark
@pytest.mark.parametrize("module", ["mq.mq_source", "smf.smf_source"])
def test_workers_when_the_session_is_the_users_then_they_run_this_python(
    spark: "SparkSession", monkeypatch: pytest.MonkeyPatch, module: str
) -> None:
    """Outside an activated environment the first python3 of the PATH is another one."""
    register = importlib.import_module(f"ternmq.spark.{module}").register
    monkeypatch.delenv("PYSPARK_PYTHON", raising=False)
    monkeypatch.setattr(spark.sparkContext, "pythonExec", "python3")  # as Spark would have it
    register(spark)
    assert spark.sparkContext.pythonExec == sys.executable
    monkeypatch.setenv("PYSPARK_PYTHON", "/opt/other/bin/python3")
    monkeypatch.setattr(spark.sparkContext, "pythonExec", "/opt/other/bin/python3")
    register(spark)
    assert spark.sparkContext.pythonExec == "/opt/other/bin/python3"
