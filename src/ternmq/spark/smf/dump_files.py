"""Files of SMF records: which a path means, and their bytes from wherever they are.

A path is a file, a folder (its files, without those whose names begin with a dot or an underscore,
as Spark has it) or a pattern with * ? [ ]. Files of this machine, or mounted on every machine of a
cluster, are read as such, segments of our log streams too (smf_segments). A path with a scheme (s3,
s3a, gs, hdfs, abfs ...) is read by Arrow's file systems; smf_spark_files reads whatever Spark
itself can.
"""

from __future__ import annotations

import fnmatch
import glob
import os
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol
from urllib.parse import unquote, urlsplit

from ternmq.codec.smf.framing import FORMS, PROBE_BYTES, Source, recognise
from ternmq.spark.smf.log_segments import SegmentBytes, is_segment, length_of

AUTO: Final = "auto"
_PATTERN: Final = "*?["
_HIDDEN: Final = (".", "_")
# Hadoop's names of schemes that Arrow knows by others.
_SCHEMES: Final = {"s3a": "s3", "s3n": "s3"}


class DumpFile(NamedTuple):
    """A file and how long it was when we looked."""

    path: str
    length: int


class Bytes(Protocol):
    """An open file."""

    def read_at(self, position: int, length: int) -> bytes: ...

    def close(self) -> None: ...


class LocalBytes:
    """A file of this machine."""

    def __init__(self, path: str) -> None:
        self._file: Final = os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))

    def read_at(self, position: int, length: int) -> bytes:
        """So many bytes, fewer only at the end."""
        parts: list[bytes] = []
        while length > 0:
            part = os.pread(self._file, length, position)
            if not part:
                break
            parts.append(part)
            position += len(part)
            length -= len(part)
        return b"".join(parts) if len(parts) != 1 else parts[0]

    def close(self) -> None:
        os.close(self._file)


class ArrowBytes:
    """A file of one of Arrow's file systems."""

    def __init__(self, path: str) -> None:
        system, inside = arrow_file_system(path)
        self._file: Final = system.open_input_file(inside)
        self._length: Final[int] = self._file.size()

    def read_at(self, position: int, length: int) -> bytes:
        length = max(0, min(length, self._length - position))
        data: bytes = self._file.read_at(length, position)
        return data

    def close(self) -> None:
        self._file.close()


def local_path(path: str) -> str | None:
    """The path on this machine, or None if it is somewhere else."""
    scheme = urlsplit(path).scheme if ":/" in path else ""
    if not scheme:
        return path
    return unquote(urlsplit(path).path) if scheme == "file" else None


def arrow_file_system(path: str) -> tuple[Any, str]:
    """Arrow's file system of a URI and the path inside it."""
    from pyarrow import fs

    scheme, colon, rest = path.partition(":")
    try:
        system, inside = fs.FileSystem.from_uri(_SCHEMES.get(scheme, scheme) + colon + rest)
    except (OSError, ValueError) as error:
        raise ValueError(
            f"{path} cannot be opened by Arrow ({error}): read it with"
            " ternmq.spark.smf.spark_files.read_smf, which takes Spark's own connectors"
        ) from None
    return system, inside


def open_file(path: str) -> Bytes:
    """An open file, wherever it is."""
    local = local_path(path)
    if local is None:
        return ArrowBytes(path)
    return SegmentBytes(local) if is_segment(local) else LocalBytes(local)


def find_files(paths: list[str], name_pattern: str = "", recursive: bool = False) -> list[DumpFile]:
    """The files that paths mean, in the order of their names. ValueError if one means nothing."""
    found: dict[str, DumpFile] = {}
    for path in paths:
        local = local_path(path)
        here = local_files(local, recursive) if local is not None else remote_files(path, recursive)
        if not here and not is_folder(local):
            raise ValueError(f"there is no file {path}")
        for file in here:
            if not name_pattern or fnmatch.fnmatch(file.path.rpartition("/")[2], name_pattern):
                found[file.path] = file
    return [found[path] for path in sorted(found)]


def is_folder(local: str | None) -> bool:
    """Whether a path is a folder, which may be empty yet."""
    return local is None or os.path.isdir(local)


def local_files(path: str, recursive: bool) -> list[DumpFile]:
    """Files of this machine."""
    names = glob.glob(path) if any(c in path for c in _PATTERN) and not exists(path) else [path]
    found: list[DumpFile] = []
    for name in names:
        if os.path.isdir(name):
            found += in_folder(Path(name), recursive)
        elif os.path.isfile(name):
            found.append(DumpFile(os.path.abspath(name), size_of(name)))
    return found


def size_of(path: str) -> int:
    """How many bytes of records, and of their descriptor words, a file of this machine has."""
    return length_of(path) if is_segment(path) else os.path.getsize(path)


def exists(path: str) -> bool:
    return os.path.lexists(path)


def in_folder(folder: Path, recursive: bool) -> list[DumpFile]:
    """The files in a folder that are not hidden."""
    found: list[DumpFile] = []
    for entry in os.scandir(folder.resolve()):
        if entry.name.startswith(_HIDDEN):
            continue
        if entry.is_file():
            found.append(DumpFile(entry.path, size_of(entry.path)))
        elif recursive and entry.is_dir():
            found += in_folder(Path(entry.path), recursive)
    return found


def remote_files(path: str, recursive: bool) -> list[DumpFile]:
    """Files of one of Arrow's file systems; a pattern stands in the last part only."""
    from pyarrow import fs

    system, inside = arrow_file_system(path)
    front = path[: len(path) - len(inside)]
    folder, _, last = inside.rpartition("/")
    if any(c in last for c in _PATTERN):
        inside = folder
    else:
        last = ""
        info = system.get_file_info(inside)
        if info.type == fs.FileType.File:
            return [DumpFile(path, info.size)]
    listed = system.get_file_info(fs.FileSelector(inside, recursive=recursive))
    return [
        DumpFile(front + info.path, info.size)
        for info in listed
        if info.type == fs.FileType.File
        and not info.base_name.startswith(_HIDDEN)
        and (not last or fnmatch.fnmatch(info.base_name, last))
    ]


def form_of(file: Bytes, given: str) -> str:
    """The form of a file, recognised from its beginning if it is not given."""
    if given != AUTO:
        if given not in FORMS:
            raise ValueError(f"form is {given!r}, not {AUTO}, {', '.join(FORMS)}")
        return given
    probe = [file.read_at(0, PROBE_BYTES)]
    return recognise(Source(lambda size: probe.pop() if probe else b""))
