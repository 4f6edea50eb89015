"""Goal: what the README and the pages show is what happens.

Method: run every block of every page, in order; compare what it prints with what it says.
"""

import os
import re
import signal
from pathlib import Path
from unittest import mock

import pytest

import ternmq
from ternmq.remote.local.folder_lock import lock_holder
from ternmq.remote.local.folder_lookup import LOCK_PATH
from tests.examples.pages import Block, blocks, pages, read, run, typed, with_free_ports
from tools.layers import ROOT

pytestmark = pytest.mark.core


def runs_spark(page: str) -> bool:
    return any(block.is_run and "ternmq.spark" in block.source for block in blocks(page))


SPARK = [page for page in pages() if runs_spark(page)]


@pytest.mark.parametrize("page", [page for page in pages() if page not in SPARK])
def test_page_when_its_blocks_are_run_then_they_do_what_they_say(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    try:
        run_page(page)
    finally:
        end_started(tmp_path)


@pytest.mark.spark
@pytest.mark.usefixtures("as_users")
@pytest.mark.parametrize("page", SPARK)
def test_page_of_spark_when_its_blocks_are_run_then_they_do_what_they_say(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    try:
        run_page(page)
    finally:
        end_started(tmp_path)


def end_started(folder: Path) -> None:
    """A page that failed has not ended the queue managers that it started."""
    for lock in folder.rglob(LOCK_PATH):
        if (holder := lock_holder(str(lock.parent))) > 0 and holder != os.getpid():
            os.kill(holder, signal.SIGKILL)


def run_page(page: str) -> None:
    """Run the blocks of a page."""
    names: dict[str, object] = {"__name__": "page"}
    try:
        # A shell knows its folder; what a page exports ends with it.
        with mock.patch.dict(os.environ, PWD=os.getcwd()):
            for block in with_free_ports(blocks(page)):
                if block.is_run:
                    run(block, names)
    finally:
        for value in names.values():
            if isinstance(value, ternmq.QueueManager):
                value.close()


def test_block_when_it_prints_something_else_then_it_fails() -> None:
    run(Block("README.md", 1, True, "print(1)  # prints: 1"), {})
    with pytest.raises(AssertionError):
        run(Block("README.md", 1, True, "print(1)  # prints: 2"), {})


def test_console_when_it_says_something_else_then_it_fails() -> None:
    right = "$ export CODE=2019\n$ mqrc \\\n    $CODE\n...2019...MQRC_HOBJ_ERROR\n"
    assert typed("$ runmqsc Q <<END\nPING\nEND\nyes\n") == [("runmqsc Q", "PING\n", "yes\n")]
    with mock.patch.dict(os.environ):
        run(Block("README.md", 1, True, right, True), {})
    for wrong in (right.replace("HOBJ", "HCONN"), f"{right}and more\n", "$ mqrc nothing\n"):
        with mock.patch.dict(os.environ), pytest.raises(AssertionError):
            run(Block("README.md", 1, True, wrong, True), {})


def test_console_when_its_mqsc_only_displays_then_it_waits_for_what_the_page_shows() -> None:
    said = ["STATUS(INITIALIZING)", "STATUS(RETRYING)"]
    with mock.patch("tests.examples.pages.run_command", side_effect=said):
        shows = "$ runmqsc Q <<END\nDISPLAY CHSTATUS(A)\nEND\nSTATUS(RETRYING)\n"
        run(Block("README.md", 1, True, shows, True), {})
    with mock.patch("tests.examples.pages.run_command", side_effect=["no", "yes"]):
        changes = "$ runmqsc Q <<END\nDISPLAY QMGR\nCLEAR QLOCAL(A)\nEND\nyes\n"
        with pytest.raises(AssertionError):
            run(Block("README.md", 1, True, changes, True), {})


def test_links_when_they_lead_to_a_file_then_it_is_there() -> None:
    broken = [
        f"{page.relative_to(ROOT)}: {target}"
        for page in linking_pages()
        for target in targets(read(page))
        if not (page.parent / target).exists()
    ]
    assert broken == []


def test_architecture_when_counted_then_it_can_be_read_in_one_go() -> None:
    assert len(read(ROOT / "ARCHITECTURE.md").splitlines()) <= 300


def linking_pages() -> list[Path]:
    """All pages of the project, those of the packages too."""
    top = [ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")]
    top = [page for page in top if page.exists()]  # a copy for canaries has not all of them
    return [*top, *(ROOT / "docs").rglob("*.md"), *(ROOT / "src").rglob("*.md")]


def targets(text: str) -> list[str]:
    """Relative links of a page, without their anchors."""
    found = []
    for part in text.split("](")[1:]:
        target = part.partition(")")[0].partition("#")[0]
        if target and "://" not in target:
            found.append(target)
    return found


def test_pages_when_listed_then_the_index_of_their_folder_leads_to_each() -> None:
    missing = []
    for path in sorted((ROOT / "docs").rglob("*.md")):
        index = path.parent / "index.md"
        if path == index:  # that of the folder above leads to it
            index = path.parents[1] / "index.md"
        item = rf"^- \[[^\]]+\]\({re.escape(str(path.relative_to(index.parent)))}\)"
        if index.exists() and re.search(item, read(index), re.MULTILINE) is None:
            missing.append(str(path.relative_to(ROOT / "docs")))
    assert missing == []
