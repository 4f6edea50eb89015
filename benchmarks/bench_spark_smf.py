"""A dump of accounting records into Parquet by Spark, beside IBM's mq-smf-csv and its CSV.

The dump is made by repeating real records of type 116, where the dumps that mq-smf-csv ships as
samples are present (TERNMQ_SMF_DATA names their folder, or shared/data beside the checkout), else
by repeating ours. The environment variable MQSMFCSV names IBM's program; without it there is no
baseline. Spark has two cores, and its session is there before the clock starts, as the program
is; elapsed time, since two cores against one is the point.

    columns as they are   smf_parquet.to_parquet: every section in one pass
    by DataFrame          spark.read.format("mqsmf") ... write.parquet: a pass for each section
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.figures import AT_LEAST, AT_MOST, Figure, Goal, Settings
from benchmarks.run import ROOT

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

REAL = Path(os.environ.get("TERNMQ_SMF_DATA", ROOT.parent / "shared" / "data"))
OURS = ROOT / "tests" / "unit" / "codec" / "data" / "smf-samples.dat"
NAMES = ("smf-mq800-116.dat", "smf-mq800-channels.dat")
SECTIONS = ("QMAC", "WTID", "WTAS", "WQ", "QCST")  # what mq-smf-csv prints of them
MB = 1_000_000


def records_116() -> bytes:
    """Records of type 116, with their RDWs."""
    found: list[bytes] = []
    there = [REAL / name for name in NAMES if (REAL / name).exists()] or [OURS]
    for path in there:
        data = path.read_bytes()
        at, kind = 0, 0
        while at < len(data):
            length = int.from_bytes(data[at : at + 2], "big")
            if data[at + 2] in (0, 1):  # a later segment has no header
                kind = data[at + 5]
            if kind == 116:
                found.append(data[at : at + length])
            at += length
    return b"".join(found)


def make_dump(path: Path, size: int) -> Path:
    """A file of about so many bytes."""
    batch = records_116()
    with path.open("wb") as file:
        for _ in range(max(1, size // len(batch))):
            file.write(batch)
    return path


def elapsed(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def program_s(program: str, dump: Path, folder: Path) -> float:
    """Seconds of IBM's program."""
    command = [program, "-i", str(dump), "-o", str(folder), "-g", "yes", "-r"]
    return elapsed(lambda: subprocess.run(command, check=True, capture_output=True))


def columns_s(spark: SparkSession, dump: Path, target: Path) -> float:
    from ternmq.spark.smf.parquet import to_parquet

    return elapsed(
        lambda: to_parquet(spark, str(dump), str(target), sections=SECTIONS, mode="overwrite")
    )


def frames_s(spark: SparkSession, dump: Path, target: Path) -> float:
    """A pass for each section."""

    def write() -> None:
        for section in SECTIONS:
            frame = spark.read.format("mqsmf").option("section", section).load(str(dump))
            frame.write.mode("overwrite").parquet(str(target / section))

    return elapsed(write)


def run(settings: Settings) -> list[Figure]:
    """The program, both ways of ours, and how time grows with length."""
    from ternmq.spark.session import close, session
    from ternmq.spark.smf.smf_source import register

    folder = settings.place("spark_smf")
    places = {"spark.local.dir": str(folder / "spark")}
    spark = session("bench", master="local[2]", settings=places, log=folder / "spark.log")
    try:
        register(spark)
        columns_s(spark, make_dump(folder / "warm", 2 * MB), folder / "parquet")
        return beside_the_program(spark, settings, folder) + growth(spark, settings, folder)
    finally:
        close(spark)


def beside_the_program(spark: SparkSession, settings: Settings, folder: Path) -> list[Figure]:
    dump = make_dump(folder / "dump", settings.scaled(500, 50) * MB)
    program = os.environ.get("MQSMFCSV", "")
    rate = megabytes(dump) / program_s(program, dump, folder) if program else None
    figures: list[Figure] = []
    for name, measure, goal in (
        ("columns as they are", columns_s, Goal(AT_LEAST, 1.0, True, False)),
        ("by DataFrame", warmed_frames_s, None),
    ):
        own = megabytes(dump) / measure(spark, dump, folder / "parquet")
        figures.append(
            Figure(
                f"{megabytes(dump):.0f} MB into Parquet, {name}",
                own,
                "MB/s",
                "mq-smf-csv into CSV",
                rate,
                own / rate if rate else None,
                goal,
                "" if rate else "MQSMFCSV does not name IBM's program",
            )
        )
    dump.unlink()
    return figures


def warmed_frames_s(spark: SparkSession, dump: Path, target: Path) -> float:
    """As it is once Java has compiled what it runs often, which takes it a few seconds."""
    short = make_dump(dump.with_name("short"), dump.stat().st_size // 10)
    frames_s(spark, short, target)
    short.unlink()
    return frames_s(spark, dump, target)


def megabytes(path: Path) -> float:
    return path.stat().st_size / MB


def growth(spark: SparkSession, settings: Settings, folder: Path) -> list[Figure]:
    """Seconds for each MB of a long dump beside those of a short one."""
    small = make_dump(folder / "small", settings.scaled(50, 10) * MB)
    large = make_dump(folder / "large", settings.scaled(2000, 50) * MB)
    spent = []
    for dump in (small, large):
        seconds = columns_s(spark, dump, folder / "parquet")
        spent.append(seconds * 1000 / megabytes(dump))
        dump.unlink()
    # A job costs a second whatever it reads, so that a long dump is cheaper for each MB.
    goal = Goal(AT_MOST, 1.2, of_ratio=True, compiled_only=False)
    return [
        Figure(
            "a long dump into Parquet",
            spent[1],
            "ms/MB",
            "a short one",
            spent[0],
            spent[1] / spent[0],
            goal,
        )
    ]
