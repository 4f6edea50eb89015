"""Goal: after `pip install` Spark knows `mq` and `mqsmf` without a call of ours; and the modules by
which it finds them never raise, for Spark would lose every Python source with that.

Method: processes in which packages cannot be imported, and one with a session as users make it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.conftest import SOURCE
from tests.unit.api.networked import CHANNEL, in_memory
from tests.unit.codec.smf.test_framing import as_rdw
from tests.unit.codec.smf_samples import sample_records

MODULES = {"pyspark_mq": "mq", "pyspark_mqsmf": "mqsmf"}

WITHOUT = """
import sys

for name in {missing!r}:
    sys.modules[name] = None
for name in ("pyspark_mq", "pyspark_mqsmf"):
    module = __import__(name)
    source = getattr(module, "DefaultSource", None)
    print(name, None if source is None else source.name(), module.__all__)
    if source is not None:
        try:
            source({{}})
        except ImportError as error:
            print(error)
"""

FRESH = """
import sys
from pyspark.sql import SparkSession

dump, name, conn, channel = sys.argv[1:]
spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
options = f"queueManager '{name}', connName '{conn}', channel '{channel}', queue 'ORDERS'"
spark.sql(f"CREATE TEMPORARY VIEW orders USING mq OPTIONS ({options})")
print("orders", [row.text for row in spark.sql("SELECT text FROM orders").collect()])
frame = spark.read.format("mqsmf").option("section", "QQST").load(dump)
print("sections", frame.count() > 0)
stream = spark.readStream.format("mq").option("queueManager", name).option("queue", "ORDERS")
print("stream", stream.option("connName", conn).option("channel", channel).load().isStreaming)
spark.stop()
"""


def run(program: str, *arguments: str, **environment: str) -> list[str]:
    settings = {**os.environ, "PYSPARK_PYTHON": sys.executable, **environment}
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        env=settings,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.core
def test_import_when_pyspark_is_missing_then_nothing_is_raised_and_nothing_offered() -> None:
    lines = run(WITHOUT.format(missing=("pyspark", "py4j", "pyarrow", "numpy", "pandas")))
    assert lines == ["pyspark_mq None []", "pyspark_mqsmf None []"]


@pytest.mark.core
@pytest.mark.parametrize("missing", ["pyarrow", "ternmq"])
def test_import_when_what_we_need_is_missing_then_who_uses_it_is_notified(missing: str) -> None:
    pytest.importorskip("pyspark")
    lines = run(WITHOUT.format(missing=(missing,)))
    assert len(lines) == 4
    for at, (module, name) in enumerate(MODULES.items()):
        assert lines[2 * at] == f"{module} {name} ['DefaultSource']"
        assert lines[2 * at + 1].startswith(f"the source {name} cannot be imported (")
        assert missing in lines[2 * at + 1]
        assert lines[2 * at + 1].endswith("pip install 'ternmq[spark]'")


def test_modules_when_the_wheel_is_made_then_each_is_in_it() -> None:
    project = tomllib.loads((SOURCE.parent / "pyproject.toml").read_text(encoding="utf-8"))
    modules = project["tool"]["setuptools"]["py-modules"]
    assert sorted(modules) == sorted(path.stem for path in SOURCE.glob("*.py")) == sorted(MODULES)


@pytest.mark.spark
def test_session_when_it_is_new_and_nobody_registers_then_both_sources_are_known(
    tmp_path: Path,
) -> None:
    from ternmq.spark.errors import SparkError
    from ternmq.spark.java import find_java

    try:
        home = str(find_java().home)
    except SparkError as error:
        pytest.skip(str(error))
    dump = tmp_path / "dump"
    dump.write_bytes(as_rdw(sample_records(90405), 2000))
    with in_memory() as served, served.connect() as connection:
        connection.define_queue("ORDERS")
        connection.put("ORDERS", "first")
        lines = run(FRESH, str(dump), "QM1", served.conn, CHANNEL, JAVA_HOME=home)
    assert lines == ["orders ['first']", "sections True", "stream True"]
