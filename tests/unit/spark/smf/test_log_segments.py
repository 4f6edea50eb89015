"""Goal: segments of our log streams are read as dumps are, packed or not, while they grow.

Method: a log stream of our writer beside a data set with the same records, without Spark.
"""

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark")

from ternmq.outlets.smf_log_streams import LogStream
from ternmq.spark.smf.dump_files import find_files
from ternmq.spark.smf.dump_reading import read_ranges
from ternmq.spark.smf.growing_files import latest
from ternmq.spark.smf.ranges import ranges_of
from ternmq.spark.smf.smf_options import SmfOptions
from tests.unit.codec.smf_samples import sample_records

RECORDS = sample_records(90405)


def rows_of(path: Path) -> list[dict[str, Any]]:
    options = SmfOptions({"section": "WQ", "columns": "Base_Name,Get_Count,Record_Position"})
    ranges = list(ranges_of(find_files([str(path)]), "auto", 1 << 20))
    return [row for batch in read_ranges(ranges, options) for row in batch.to_pylist()]


@pytest.mark.parametrize("compressed", [False, True])
def test_log_stream_when_read_then_it_is_as_a_dump(tmp_path: Path, compressed: bool) -> None:
    (tmp_path / "dump").write_bytes(b"".join(RECORDS))
    stream = LogStream(str(tmp_path / "stream"), compressed=compressed)
    stream.write(RECORDS)
    stream.close()
    found = rows_of(tmp_path / "stream")
    assert found == rows_of(tmp_path / "dump")
    assert len(found) > 0


def test_segment_when_it_grows_then_a_stream_reads_up_to_its_last_block(tmp_path: Path) -> None:
    stream = LogStream(str(tmp_path), compressed=True)
    options = SmfOptions({"section": "WQ", "path": str(tmp_path)})
    stream.write(RECORDS[:3])
    (first,) = latest(options, {}, 0, None).values()
    assert first == sum(map(len, RECORDS[:3]))
    stream.write(RECORDS[3:])
    (path,) = tmp_path.iterdir()
    with path.open("ab") as file:
        file.write(b"\x00\x00\x01\x00")  # a block that is being written
    (second,) = latest(options, {str(path): first}, 0, None).values()
    assert second == sum(map(len, RECORDS))
    stream.close()
