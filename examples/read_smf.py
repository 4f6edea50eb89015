"""SMF records from this program's own hand, read back and shown as `ternmq smf` shows them.

A minute of two queues and a channel is written as MQ for z/OS would; then the file is read.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from ternmq.cli.tools.smf_command import main as smf
from ternmq.codec.smf.record import Stamp, build, header_values
from ternmq.codec.smf.section_layout import Values

WRITTEN_NS = 1_790_000_060_000_000_000
STAMP = Stamp(
    "SYS1", "QM1", WRITTEN_NS, start_ns=WRITTEN_NS - 60_000_000_000, duration_us=60_000_000
)


def records() -> list[bytes]:
    """What a queue manager says about one minute."""
    queues: list[Values] = [
        {"qqstqnam": "ORDERS", "qqstdpth": 12, "qqstputs": 4000, "qqstgets": 3990},
        {"qqstqnam": "REPLIES", "qqstputs": 3990, "qqstgets": 3990},
    ]
    channel: Values = {
        "qcstchnm": "TO.BRANCH",
        "qcstchty": 1,
        "qcstchst": 3,
        "qcstnmsg": 250,
        "qcstbatc": 9,
    }
    return [
        build(115, 216, header_values(115, 216, STAMP), {"QQST": queues}),
        build(116, 10, header_values(116, 10, STAMP), {"QCST": [channel]}),
    ]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "minute.smf"
        path.write_bytes(b"".join(records()))
        smf(["dump", "--quiet", "--width", "100", str(path)])
        smf(["csv", "--quiet", "--output", folder, str(path)])
        print("written as CSV:", ", ".join(sorted(p.name for p in Path(folder).glob("*.csv"))))


if __name__ == "__main__":
    main()
