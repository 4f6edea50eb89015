"""Chromium for tests: what a page shows, as a picture and as the document after its script ran."""

from __future__ import annotations

import shutil
import struct
import subprocess
import tempfile
import zlib
from pathlib import Path
from typing import Final, NamedTuple

import pytest

NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# Nothing of it may reach for a network, and as root it has no sandbox.
FLAGS: Final = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--hide-scrollbars", "--force-color-profile=srgb", "--virtual-time-budget=3000",
)  # fmt: skip
TIMEOUT_S: Final = 110


class Picture(NamedTuple):
    """Pixels of a screenshot."""

    width: int
    height: int
    rows: list[bytes]  # RGB

    def at(self, x: int, y: int) -> tuple[int, int, int]:
        found = self.rows[y][3 * x : 3 * x + 3]
        return found[0], found[1], found[2]

    def count(self, colour: str) -> int:
        """How many pixels have this colour."""
        wanted = bytes.fromhex(colour.removeprefix("#"))
        return sum(
            1 for row in self.rows for x in range(0, len(row), 3) if row[x : x + 3] == wanted
        )


def browser() -> str:
    """The program; a test that needs it is skipped where there is none."""
    for name in NAMES:
        path = shutil.which(name)
        if path:
            return path
    pytest.skip("there is no Chromium here: apt-get install chromium (make test SYSTEM=1 does)")


def run(page: Path, *arguments: str) -> str:
    program = browser()
    with tempfile.TemporaryDirectory(prefix="chromium-") as profile:
        done = subprocess.run(
            [program, *FLAGS, f"--user-data-dir={profile}", *arguments, page.as_uri()],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            timeout=TIMEOUT_S,
            check=True,
        )
    return done.stdout


def document(page: Path) -> str:
    """The document as it is after the page's script."""
    return run(page, "--dump-dom")


def screenshot(page: Path, picture: Path, width: int = 800, height: int = 600) -> Picture:
    """What a person sees of the top of the page."""
    run(page, f"--screenshot={picture}", f"--window-size={width},{height}")
    return decoded(picture.read_bytes())


def decoded(png: bytes) -> Picture:
    """A PNG of Chromium: eight bits a channel, RGB or RGBA, not interlaced."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    at, packed, size = 8, b"", (0, 0, 0)
    while at < len(png):
        length, kind = struct.unpack_from(">I4s", png, at)
        body = png[at + 8 : at + 8 + length]
        if kind == b"IHDR":
            width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", body)
            assert (depth, interlaced) == (8, 0)
            size = (width, height, {2: 3, 6: 4}[colour])
        elif kind == b"IDAT":
            packed += body
        at += 12 + length
    return Picture(size[0], size[1], rows_of(zlib.decompress(packed), *size))


def rows_of(data: bytes, width: int, height: int, channels: int) -> list[bytes]:
    """Rows of pixels, the filters of PNG taken off, without transparency."""
    stride = width * channels
    above = bytearray(stride)
    rows = []
    for number in range(height):
        begin = number * (stride + 1)
        line = bytearray(data[begin + 1 : begin + 1 + stride])
        unfilter(data[begin], line, above, channels)
        above = line
        rows.append(bytes(line) if channels == 3 else bytes(without_alpha(line)))
    return rows


def without_alpha(line: bytearray) -> bytearray:
    found = bytearray(len(line) // 4 * 3)
    for channel in range(3):
        found[channel::3] = line[channel::4]
    return found


def unfilter(kind: int, line: bytearray, above: bytearray, step: int) -> None:
    if kind == 0:
        return
    for n in range(len(line)):
        left = line[n - step] if n >= step else 0
        up = above[n]
        corner = above[n - step] if n >= step else 0
        guess = (0, left, up, (left + up) // 2, paeth(left, up, corner))[kind]
        line[n] = (line[n] + guess) & 255


def paeth(left: int, up: int, corner: int) -> int:
    near = left + up - corner
    distances = (abs(near - left), abs(near - up), abs(near - corner))
    if distances[0] <= distances[1] and distances[0] <= distances[2]:
        return left
    return up if distances[1] <= distances[2] else corner
