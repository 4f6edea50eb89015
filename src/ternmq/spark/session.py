"""A Spark session as we run it: bounded memory, our Python in the workers, its log in a file.

`session()` takes the session that is there, whoever made it: under `spark-submit` or in a notebook
master and settings are the user's. Otherwise it starts one, on `local[*]` by default. What Java
and the workers write on their terminal goes to the log, and errors name it (see errors).
"""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ternmq.spark.errors import SparkError, errors_of_spark
from ternmq.spark.java import find_java

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MASTER: Final = "local[*]"
SETTINGS: Final[Mapping[str, str]] = {
    "spark.driver.memory": "1g",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    # Few cores: as many tasks after a shuffle as there are on a small cluster, not 200.
    "spark.sql.shuffle.partitions": "8",
    # A worker of a loaded machine may take long to start; without this it is given up after 15 s.
    "spark.python.authenticate.socketTimeout": "60s",
    "spark.log.level": "WARN",
    # Else PySpark sends each step of a query to Java with its place in the program, four calls
    # more; an error has that place in Python's traceback.
    "spark.python.sql.dataFrameDebugging.enabled": "false",
    # Few cores: a collector that works beside the tasks takes from them what they could do. This
    # and the next are for writing Parquet (docs/operations/benchmarks.md).
    "spark.driver.extraJavaOptions": "-XX:+UseParallelGC",
    "spark.executor.extraJavaOptions": "-XX:+UseParallelGC",
    # Of files on this machine: Java writes as much at once as it has a checksum for, 512 bytes.
    "spark.hadoop.file.bytes-per-checksum": "65536",
}
_LOCAL: Final[Mapping[str, str]] = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}
STOP_S: Final = 30
_HOME: Final = ("bin", "jars", "sbin")  # of PySpark, what Java is started with
_LOG_SETTING: Final = "spark.ternmq.log"
_PYTHON_SETTING: Final = "spark.pyspark.python"
# They write an error with all of Java's stack to the terminal, before it is raised.
_LOGGERS: Final = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")


def session(
    name: str = "ternmq",
    *,
    master: str = "",
    settings: Mapping[str, str] | None = None,
    log: Path | None = None,
) -> SparkSession:
    """The running session, or a new one whose Java writes to `log`. SparkError if it cannot be."""
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise SparkError(
            "PySpark is not installed for this Python: pip install 'ternmq[spark]'"
        ) from None
    running = SparkSession.getActiveSession()
    if running is not None:
        return running
    if "PYSPARK_GATEWAY_PORT" in os.environ:  # spark-submit has started Java already
        return SparkSession.builder.appName(name).getOrCreate()
    chosen = {**SETTINGS, **(settings or {})}
    return started(name, master or os.environ.get("TERNMQ_SPARK_MASTER", MASTER), chosen, log)


def use_this_python(spark: SparkSession) -> None:
    """Let the workers of somebody's local session run the interpreter that runs here: without a
    word of the user Spark takes the first python3 of the PATH, which outside an activated virtual
    environment is another one. On a cluster, and with Spark Connect, the user has to say it."""
    context = getattr(spark, "_sc", None)  # Spark Connect has none
    if context is None or "PYSPARK_PYTHON" in os.environ:
        return
    if context.master.startswith("local") and not context.getConf().contains(_PYTHON_SETTING):
        context.pythonExec = sys.executable


def is_running() -> bool:
    """Whether this process has a session that `session` would take."""
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        return False
    return SparkSession.getActiveSession() is not None


def started(name: str, master: str, settings: dict[str, str], log: Path | None) -> SparkSession:
    """A session in a Java of our own."""
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway
    from pyspark.logger import PySparkLogger
    from pyspark.sql import SparkSession

    for logger in _LOGGERS:
        PySparkLogger.getLogger(logger).disabled = True
    os.environ["JAVA_HOME"] = str(find_java().home)
    # Without this workers take the first python3 of the PATH, which may lack what they need.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("PYSPARK_DRIVER_PYTHON", sys.executable)
    path = log if log is not None else new_log()
    path.parent.mkdir(parents=True, exist_ok=True)
    if master.startswith("local"):
        settings = {**_LOCAL, **settings}
    conf = SparkConf(loadDefaults=False).setMaster(master).setAppName(name)
    conf.setAll([*settings.items(), (_LOG_SETTING, str(path))])
    with path.open("ab") as stream:
        try:
            streams = {"stdout": stream, "stderr": stream}
            with lighter_home(master):
                gateway = launch_gateway(conf, streams)  # type: ignore[no-untyped-call]
            context = SparkContext(conf=conf, gateway=gateway)
        except errors_of_spark():
            raise SparkError(f"Spark did not start: {last_line(path)}", path) from None
    return SparkSession(context)


@contextmanager
def lighter_home(master: str) -> Iterator[None]:
    """Let the workers of a Java that is started here import the PySpark that is installed.

    Java has them import it from the archive in its home, which Python compiles again at each start:
    1.5 s of processor time instead of 0.5, and a stream's worker is given ten seconds in all. A
    home without the archive leaves them the installed one, which is the same. On a cluster, and
    where somebody has chosen a home or another Python, which may have none, all stays as it is."""
    import pyspark

    is_ours = os.environ.get("PYSPARK_PYTHON", sys.executable) == sys.executable
    if "SPARK_HOME" in os.environ or not master.startswith("local") or not is_ours:
        yield
        return
    home = Path(tempfile.mkdtemp(prefix="ternmq-spark-home-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    for name in _HOME:
        (home / name).symlink_to(Path(pyspark.__file__).parent / name)
    os.environ["SPARK_HOME"] = str(home)
    try:
        yield
    finally:
        del os.environ["SPARK_HOME"]


def close(spark: SparkSession) -> None:
    """Stop a session and the Java that was started for it."""
    from pyspark import SparkContext

    gateway = SparkContext._gateway
    spark.stop()
    process = getattr(gateway, "proc", None)
    if gateway is None or process is None:
        return
    gateway.shutdown()
    SparkContext._gateway = None
    SparkContext._jvm = None
    process.stdin.close()  # which is its signal to end
    try:
        process.wait(STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def new_log() -> Path:
    """A file of its own for each session."""
    handle, path = tempfile.mkstemp(prefix="ternmq-spark-", suffix=".log")
    os.close(handle)
    return Path(path)


def log_of(spark: SparkSession) -> Path | None:
    """Where the session's Java writes; None if somebody else started it."""
    path = spark.conf.get(_LOG_SETTING, "")
    return Path(path) if path else None


def last_line(path: Path) -> str:
    """What Java said last, for an error that has nothing better to say."""
    lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
    said = [line.strip() for line in lines if line.strip() and not line.startswith("\t")]
    return said[-1] if said else "it said nothing"
