"""The page docs/internals/format/channel_protocol.md, made from the head comment of the file that
implements the flows of message channels.

`python -m tests.unit.wire.fap.channel_protocol_page` writes it.
"""

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parents[4]
PAGE = ROOT / "docs" / "internals" / "format" / "channel_protocol.md"
SOURCE = ROOT / "src" / "ternmq" / "wire" / "fap" / "channel_flows.py"
INTRODUCTION = """\
# Protocol of message channels

What a sender and a receiver say to each other, and **every guess about it**. This page is copied
from the head of `src/ternmq/wire/fap/channel_flows.py`, the only file that knows these flows, by
`python -m tests.unit.wire.fap.channel_protocol_page`; a test compares the two. Change it there.
Headers of segments, INITIAL_DATA and the opening dialogue are those of
[clients](client_protocol.md).

**Interoperation with IBM's channel agents is unproven.** No queue manager of IBM's was at hand.
Whoever has one can help: `make capture`
[records](../../administration/channels.md#recording-a-channel) what both ends of a channel say,
and a correction is a change to that one file.
"""


def page() -> str:
    """The text the page must have."""
    head = ast.get_docstring(ast.parse(SOURCE.read_text(encoding="utf-8"))) or ""
    return f"{INTRODUCTION}\n```\n{head.strip()}\n```\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
