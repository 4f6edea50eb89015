"""`python -m ternmq COMMAND`: the same as the program `ternmq`."""

from __future__ import annotations

from ternmq.cli.__main__ import entry

if __name__ == "__main__":
    entry()
