"""Goal: a data folder of another format is refused with a sentence, never misread.

Method: a control file whose version is another and whose checksum is right, one copy or both; a
queue manager's whole folder with it.
"""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

import ternmq
from ternmq.base.checksum import crc32c
from ternmq.base.errors import IntegrityError
from ternmq.inspect.dump import LogDump
from ternmq.inspect.folder import Folder
from ternmq.log.control import CONTROL_PATHS, decode_control
from ternmq.log.record import LogDamaged, LogOfOtherFormat

pytestmark = pytest.mark.core

SENTENCE = r"the log has format version 1, and this build reads version 2; use the build of TernMQ"


def of_version(sector: bytes, version: int) -> bytes:
    body = struct.pack("<I", version) + sector[16:512]
    return sector[:8] + struct.pack("<I", crc32c(body)) + body


def age(root: Path, paths: list[str]) -> None:
    for path in paths:
        (file,) = root.rglob(path)
        file.write_bytes(of_version(file.read_bytes(), 1))


@pytest.mark.parametrize("copies", [CONTROL_PATHS, CONTROL_PATHS[:1], CONTROL_PATHS[1:]])
def test_start_when_the_folder_is_of_the_former_format_then_a_sentence_refuses_it(
    tmp_path: Path, copies: list[str]
) -> None:
    with ternmq.embedded(tmp_path, create=True) as qmgr:
        qmgr.define_queue("A")
        qmgr.put("A", b"x", persistent=True)
    age(tmp_path, list(copies))
    with pytest.raises(IntegrityError, match=SENTENCE):
        ternmq.embedded(tmp_path)
    with Folder(tmp_path) as folder, pytest.raises(LogDamaged, match=SENTENCE):
        LogDump(folder)


def test_control_when_it_is_of_a_later_format_then_it_is_refused(tmp_path: Path) -> None:
    with ternmq.embedded(tmp_path, create=True):
        pass
    (file,) = tmp_path.rglob(CONTROL_PATHS[0])
    with pytest.raises(LogOfOtherFormat, match="format version 3"):
        decode_control(of_version(file.read_bytes()[:512], 3))
