"""Finds the Java that Spark runs on, or says what to install."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from ternmq.spark.bundled_java import bundled_home, fit_for_spark
from ternmq.spark.errors import SparkError

JAVA_MIN: Final = 17
PLACES: Final = ("/usr/lib/jvm", "/opt", "/usr/java", "/Library/Java/JavaVirtualMachines")
ANSWER_S: Final = 30
_RELEASE: Final = re.compile(r'^JAVA_VERSION="?(\d+)(?:\.(\d+))?', re.MULTILINE)
_ANSWER: Final = re.compile(r'version "(\d+)(?:\.(\d+))?')


class Java(NamedTuple):
    """An installed Java."""

    home: Path
    version: int


def find_java(
    environment: Mapping[str, str] = os.environ, places: tuple[str, ...] = PLACES
) -> Java:
    """The Java to run Spark on: JAVA_HOME, else the PATH, else the usual folders, else that of
    `ternmq[java]`. SparkError with the remedy if there is none that is new enough."""
    seen: list[str] = []
    for home in homes(environment, places):
        version = version_of(home)
        if version >= JAVA_MIN:
            return Java(fit_for_spark(home), version)
        if version:
            seen.append(f"Java {version} in {home}")
    found = f"only {', '.join(dict.fromkeys(seen))} was found" if seen else "none was found"
    raise SparkError(
        f"Spark needs Java {JAVA_MIN} or newer, and {found} (JAVA_HOME, PATH,"
        f" {', '.join(places)}): pip install 'ternmq[java]' brings one to this Python; or install"
        " one (Debian: apt-get install default-jre-headless; macOS: brew install openjdk@17), or"
        " set JAVA_HOME"
    )


def homes(environment: Mapping[str, str], places: tuple[str, ...]) -> Iterator[Path]:
    """Folders that may be a Java's, most wanted first."""
    release = environment.get("JAVA_HOME")
    if release:
        yield Path(release)
    program = shutil.which("java", path=environment.get("PATH"))
    if program:
        yield Path(program).resolve().parent.parent
    for place in places:
        folder = Path(place)
        if folder.is_dir():
            for home in sorted(folder.iterdir(), reverse=True):
                yield home
                yield home / "Contents" / "Home"
    bundled = bundled_home()
    if bundled is not None:
        yield bundled


def version_of(home: Path) -> int:
    """The major version of the Java in a folder; 0 if there is none."""
    program = home / "bin" / "java"
    if not os.access(program, os.X_OK):
        return 0
    try:
        release = _RELEASE.search((home / "release").read_text(encoding="utf-8", errors="replace"))
    except OSError:
        release = None
    return major(release) if release else asked_version(program)


def asked_version(program: Path) -> int:
    """What the program itself says; 0 if it does not run."""
    try:
        answer = subprocess.run(
            [str(program), "-version"], capture_output=True, timeout=ANSWER_S, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return 0
    release = _ANSWER.search(answer.stderr.decode(errors="replace"))
    return major(release) if release else 0


def major(release: re.Match[str]) -> int:
    """17 of "17.0.15", 8 of "1.8.0"."""
    first, second = int(release[1]), release[2]
    return int(second) if first == 1 and second else first
