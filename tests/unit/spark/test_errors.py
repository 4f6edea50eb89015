"""Goal: an error of Spark becomes one sentence that a person can act on, and the log's path.

Method: texts of errors as Spark raises them, and real ones from a session.
"""

import traceback
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ternmq.spark.errors import SparkError, explained, sentence_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

WORKER = """An exception was thrown from the Python worker. Please see the stack trace below.
Traceback (most recent call last):
  File "/somewhere/worker.py", line 1, in main
    process()
  File "/somewhere/source.py", line 7, in read
    raise ValueError("the file dump.dat is shorter than before")
ValueError: the file dump.dat is shorter than before

\tat org.apache.spark.api.python.BasePythonRunner.handlePythonException(PythonRunner.scala:581)
"""
CAUSES = """org.apache.spark.SparkException: Job aborted.
\tat org.apache.spark.Somewhere(Job.scala:1)
Caused by: org.apache.spark.SparkException: Task failed
\t... 3 more
Caused by: java.io.IOException: No space left on device
\t... 9 more
"""


def test_error_of_a_worker_when_explained_then_its_last_line_is_the_sentence() -> None:
    assert sentence_of(Exception(WORKER)) == "the file dump.dat is shorter than before"


def test_error_of_java_when_explained_then_its_last_cause_is_the_sentence() -> None:
    assert sentence_of(Exception(CAUSES)) == "IOException: No space left on device"


def test_error_of_analysis_when_explained_then_codes_are_left_out() -> None:
    text = "[PATH_NOT_FOUND] Path does not exist: file:/nowhere. SQLSTATE: 42K03"
    assert sentence_of(Exception(text)) == "Path does not exist: file:/nowhere."


def test_error_of_a_stream_when_explained_then_its_cause_comes_first_and_no_plan_behind() -> None:
    text = """[STREAM_FAILED] Query [id = 1f-2, runId = 3-4] terminated with exception: \
[PATH_NOT_FOUND] Path does not exist: file:/nowhere. SQLSTATE: 42K03 SQLSTATE: XXKST
=== Streaming Query ===
Identifier: [id = 1f-2, runId = 3-4]
Logical Plan:
WriteToMicroBatchDataSource ...
"""
    assert sentence_of(Exception(text)) == "Path does not exist: file:/nowhere."


def test_error_when_nobody_catches_it_then_its_sentence_is_all_that_is_shown() -> None:
    pyspark = pytest.importorskip("pyspark.errors")
    with pytest.raises(SparkError) as caught, explained():
        raise pyspark.PySparkException(WORKER)
    shown = "".join(traceback.format_exception(caught.value))
    assert "handlePythonException" not in shown
    assert shown.endswith("SparkError: the file dump.dat is shorter than before\n")


def test_error_when_it_says_nothing_then_its_name_is_the_sentence() -> None:
    assert sentence_of(ValueError("")) == "ValueError"


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        (
            "MQRC_Q_MGR_NOT_AVAILABLE (2059): it is not running [MQCONN, object 'Q']",
            "`strmqm` starts it",
        ),
        ("MQRC_UNKNOWN_CHANNEL_NAME (2540): no such [MQCONN, object 'X']", "DISPLAY CHANNEL(*)"),
        ("ModuleNotFoundError: No module named 'pyarrow'", "pip install 'ternmq[spark]' there"),
    ],
)
def test_error_when_a_newcomer_meets_it_then_the_remedy_follows(text: str, remedy: str) -> None:
    found = sentence_of(Exception(f"{WORKER}Traceback (most recent call last):\nX: {text}\n"))
    assert text.rpartition(": ")[2] in found
    assert remedy in found
    assert "\n" not in found


def test_error_when_endless_then_it_is_cut() -> None:
    assert len(sentence_of(Exception("x" * 10_000))) < 600


def test_errors_of_others_when_raised_inside_then_they_pass() -> None:
    with pytest.raises(ValueError, match="mine"), explained():
        raise ValueError("mine")


@pytest.mark.spark
def test_missing_path_when_read_then_sentence_and_log_are_reported(
    spark: "SparkSession", tmp_path: Path
) -> None:
    from ternmq.spark.session import log_of

    log = log_of(spark)
    with pytest.raises(SparkError, match="Path does not exist") as caught, explained(log):
        spark.read.parquet(str(tmp_path / "nowhere"))
    assert caught.value.log == log
    assert log is not None
    assert str(log) in str(caught.value)
    assert log.exists()


@pytest.mark.spark
def test_format_when_nobody_has_registered_it_then_the_sentence_says_so(
    spark: "SparkSession",
) -> None:
    with pytest.raises(SparkError) as caught, explained():
        spark.read.format("mqx").load()
    assert caught.value.sentence == "there is no format mqx in this session"
    text = "[DATA_SOURCE_NOT_FOUND] Failed to find the data source: mq. Make sure the provider"
    assert "mq_source.register(spark)" in sentence_of(Exception(text))


@pytest.mark.spark
def test_query_when_it_makes_no_sense_then_nothing_is_on_the_terminal_but_the_sentence(
    spark: "SparkSession", capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SparkError, match="`colour` cannot be resolved") as caught, explained():
        spark.range(1).where("colour = 3").count()
    assert "SQLSTATE" not in caught.value.sentence
    assert "\n" not in caught.value.sentence
    assert capfd.readouterr() == ("", "")


@pytest.mark.spark
def test_worker_when_it_raises_then_its_words_are_the_sentence(spark: "SparkSession") -> None:
    from collections.abc import Iterator

    from pyarrow import RecordBatch

    def broken(batches: Iterator[RecordBatch]) -> Iterator[RecordBatch]:
        raise ValueError("the third wheel is off")

    with pytest.raises(SparkError) as caught, explained():
        spark.range(1).mapInArrow(broken, "id long").collect()
    assert caught.value.sentence == "the third wheel is off"
