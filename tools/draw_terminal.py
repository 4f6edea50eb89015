"""Draws docs/images/terminal.svg: a session in a terminal, with the real output of each command.

The commands run here, on a queue manager that is made in a temporary folder; nothing of the machine
is in what they print. `python tools/draw_terminal.py` writes the picture again. It is not part of
`make check`, because message identifiers and times differ from run to run.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from html import escape
from pathlib import Path
from typing import Final

from ternmq.remote.local.folder_lock import lock_holder

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "images" / "terminal.svg"
COLUMNS: Final = 88
FONT: Final = 14
LINE: Final = 20
CHARACTER: Final = 8.43
MARGIN: Final = 20
BAR: Final = 34

KILL: Final = "kill -9"
SESSION: Final = (
    ("crtmqm QM1", ""),
    ("strmqm QM1", ""),
    ("runmqsc QM1", "DEFINE QLOCAL(ORDERS) DEFPSIST(YES)\nEND\n"),
    ("amqsput ORDERS QM1", "a unicorn\nforty-two owls\n\n"),
    (KILL, ""),
    ("dspmq", ""),
    ("strmqm QM1", ""),
    ("runmqsc QM1", "DISPLAY QSTATUS(ORDERS) CURDEPTH UNCOM\nEND\n"),
    ("amqsget ORDERS QM1", ""),
    ("endmqm -i QM1", ""),
)
DULL: Final = re.compile(
    r"script commands|^ +\d+ : |MQSC|syntax error|installation|efault objects|etup|Sample"
)


def run(command: str, given: str, folder: str) -> list[str]:
    """What a command prints."""
    environment = {**os.environ, "TERNMQ_DATA": folder, "AMQSGET_WAIT": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "ternmq", *command.split()],
        input=given,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    said = (done.stdout + done.stderr).replace(folder, "~/ternmq")
    return [line.rstrip() for line in said.splitlines() if line.strip()]


def session() -> list[tuple[str, str]]:
    """The lines of the session, each with its style."""
    lines: list[tuple[str, str]] = []
    with tempfile.TemporaryDirectory(prefix="t") as folder:
        for command, given in SESSION:
            shown = command
            if command == KILL:
                lines.append(("typed", killed(folder)))
                continue
            if given:
                typed = "\\n".join(line for line in given.splitlines() if line not in ("", "END"))
                shown = f'printf "{typed}\\n" | {command}'
            lines.append(("typed", shown))
            lines += [("said", line) for line in worth_showing(run(command, given, folder))]
    return lines


def killed(folder: str) -> str:
    """Kill the queue manager's process; what one would have typed."""
    home = Path(folder) / "qmgrs" / "QM1"
    process = lock_holder(str(home))
    os.kill(process, signal.SIGKILL)
    while lock_holder(str(home)) > 0:
        time.sleep(0.1)
    return f"kill -9 {process}   # the queue manager's process"


def worth_showing(lines: list[str]) -> list[str]:
    """Without banners and counts; no longer than the window is wide."""
    kept = [line[:COLUMNS] for line in lines if not DULL.search(line)]
    return kept[-4:]


def drawn(lines: list[tuple[str, str]]) -> str:
    """The picture."""
    width = int(COLUMNS * CHARACTER) + 2 * MARGIN
    height = BAR + LINE * len(lines) + MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}"'
        f' height="{height}" role="img" aria-label="TernMQ in a terminal">',
        f'<rect width="{width}" height="{height}" rx="8" fill="#14181f"/>',
    ]
    for place, colour in enumerate(("#ff5f57", "#febc2e", "#28c840")):
        parts.append(f'<circle cx="{20 + 20 * place}" cy="18" r="6" fill="{colour}"/>')
    parts.append(
        f'<g font-family="ui-monospace, DejaVu Sans Mono, Menlo, Consolas, monospace"'
        f' font-size="{FONT}" xml:space="preserve">'
    )
    for number, (style, text) in enumerate(lines):
        y = BAR + LINE * number + FONT
        words = escape(text, quote=False).replace(" ", "\u00a0")  # browsers join blanks
        if style == "typed":
            words = f'<tspan fill="#6fd08c">$ </tspan><tspan fill="#ffffff">{words}</tspan>'
        else:
            words = f'<tspan fill="#aab4c2">{words}</tspan>'
        parts.append(f'<text x="{MARGIN}" y="{y}">{words}</text>')
    return "\n".join([*parts, "</g>", "</svg>"]) + "\n"


def main() -> int:
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    PICTURE.write_text(drawn(session()), encoding="utf-8")
    sys.stdout.write(f"written: {PICTURE.relative_to(ROOT)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
