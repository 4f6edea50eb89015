"""Chooses which build the tests run on, before anything imports the package.

Plain files of src/ by default, whatever is installed; with TERNMQ_EXPECT=compiled the installed
wheel, which must then be a compiled one. Child processes of tests inherit the choice.
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from unittest import mock

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SOURCE = Path(__file__).resolve().parent.parent / "src"
EXPECTED = os.environ.get("TERNMQ_EXPECT", "plain")
# Java takes seconds to start, and the first query of a kind as long again.
SPARK_TIMEOUT_S = 300
# Tests are short: what Java compiles slowly and well would never be paid back, and Spark's own
# classes need not be verified each time. With one tier Java keeps 48 MB of compiled code, which all
# tests together fill: "Out of space in CodeCache for adapters" then ends it.
JAVA_QUICK = (
    "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m -XX:+UseSerialGC"
    " -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
)
# Queries over a few rows take most of their time to be compiled. Those of pages are, as for users
# (`as_users`).
SPARK_SMALL = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}

# The machine may be loaded; the limit of a test is the timeout in pyproject.toml.
settings.register_profile(
    "ternmq", settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
)
settings.load_profile("ternmq")


def choose_build() -> None:
    if EXPECTED == "plain":
        os.environ["TERNMQ_PURE"] = "1"
        os.environ["PYTHONPATH"] = str(SOURCE)
        sys.path[:] = [str(SOURCE), *(entry for entry in sys.path if entry != str(SOURCE))]
    elif EXPECTED == "compiled":
        os.environ.pop("TERNMQ_PURE", None)
        os.environ.pop("PYTHONPATH", None)
    else:
        raise pytest.UsageError(f"TERNMQ_EXPECT is {EXPECTED!r}, not plain or compiled")


def check_build() -> str:
    """What runs, or a usage error when that is not what was asked for."""
    import ternmq

    info = ternmq.build_info()
    wrong = info.compiled if EXPECTED == "plain" else not info.compiled
    if wrong or (Path(info.folder).parent == SOURCE) != (EXPECTED == "plain"):
        raise pytest.UsageError(f"a {EXPECTED} build was expected, but this is {info}")
    return str(info)


choose_build()

# After the choice: the plug-in is that of the build under test. pytester runs tests inside tests.
pytest_plugins = [
    "pytester",
    "ternmq.runtime.pytest_plugin",
    "tests.deep_tracebacks",
    "tests.lasting_timeout",
    "tests.left_out",
]


def pytest_configure() -> None:
    check_build()


def pytest_report_header() -> str:
    return f"ternmq: {check_build()}"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out tests that only make sense on the other build."""
    other = "compiled" if EXPECTED == "plain" else "plain"
    left_out = [item for item in items if item.get_closest_marker(other) is not None]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]
    for item in items:
        if item.get_closest_marker("spark") is not None:
            item.add_marker(pytest.mark.xdist_group("spark"))
            item.add_marker(pytest.mark.timeout(SPARK_TIMEOUT_S))


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> "Iterator[SparkSession]":
    """The one Spark session of a run, for tests marked spark; skipped where there is no Java."""
    from ternmq.spark.errors import SparkError
    from ternmq.spark.java import find_java
    from ternmq.spark.session import close, session

    try:
        find_java()
    except SparkError as error:
        pytest.skip(str(error))
    folder = tmp_path_factory.mktemp("spark")
    places = {
        "spark.local.dir": str(folder / "local"),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.extraJavaOptions": JAVA_QUICK,
        "spark.python.daemon.module": "tests.spark_workers",
        **SPARK_SMALL,
    }
    paths = [os.environ.get("PYTHONPATH", ""), str(SOURCE.parent)]
    with mock.patch.dict(os.environ, PYTHONPATH=os.pathsep.join(filter(None, paths))):
        running = session("tests", master="local[2]", settings=places, log=folder / "spark.log")
    yield running
    close(running)


@pytest.fixture
def as_users(spark: "SparkSession") -> "Iterator[SparkSession]":
    """The same session, with queries compiled as they are for users."""
    for name in SPARK_SMALL:
        spark.conf.set(name, "FALLBACK" if name.endswith("factoryMode") else "true")
    yield spark
    for name, value in SPARK_SMALL.items():
        spark.conf.set(name, value)
