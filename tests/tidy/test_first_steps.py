"""Goal: `make setup` says what it is at and how far, and `make test` ends with what was skipped and
the command that brings what is missing.

Method: the functions of tools/prepare.py and tools/build_wheel.py with a pip and a backend that
only say something, and an inner run of pytest.
"""

import json
import sys
from pathlib import Path

import pytest

from tools import build_wheel, prepare

PIP = """#!{python}
import sys, time
print("Collecting pyspark", flush=True)
print("  Downloading pyspark-4.3.0.tar.gz (456.3 MB)", flush=True)
time.sleep(0.5)
print("  Building wheel for pyspark (pyproject.toml): started", flush=True)
time.sleep(0.5)
sys.exit({status})
"""


def pretended_pip(folder: Path, monkeypatch: pytest.MonkeyPatch, status: int) -> None:
    program = folder / "python"
    program.write_text(PIP.format(python=sys.executable, status=status))
    program.chmod(0o755)
    monkeypatch.setattr(prepare, "PYTHON", program)
    monkeypatch.setattr(prepare, "PROGRESS_S", 0.1)


def test_pip_when_it_works_then_said_what_it_is_at_and_how_far(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pretended_pip(tmp_path, monkeypatch, 0)
    assert prepare.Installing("Spark", ["pyspark"]).wait()
    output = capsys.readouterr().err
    assert "prepare: Spark: downloading pyspark-4.3.0.tar.gz, 0 of 456 MB (0 s)" in output
    assert "prepare: Spark: building wheel for pyspark (" in output
    assert "prepare: Spark: done in " in output


def test_pip_when_it_fails_then_shown_what_it_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pretended_pip(tmp_path, monkeypatch, 1)
    assert not prepare.Installing("Spark", ["pyspark"]).wait()
    assert "Collecting pyspark\n" in capsys.readouterr().err


def test_backend_when_it_compiles_then_its_progress_is_handed_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said = (
        "import sys; sys.stderr.write('progress: C compiler: 3 of 9 files (2 s)\\\\nnoise\\\\n');"
        "open(sys.argv[1] + '/a.whl', 'w')"
    )
    monkeypatch.setattr(build_wheel, "BACKEND", said.replace("\\\\", "\\"))
    assert build_wheel.run_backend(tmp_path, tmp_path / "out") == tmp_path / "out" / "a.whl"
    assert capsys.readouterr().err == "build_wheel: C compiler: 3 of 9 files (2 s)\n"


def test_build_when_a_step_is_silent_then_it_says_now_and_then_that_it_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(build_wheel, "PROGRESS_S", 0.1)
    silent = "import sys, time; print('progress: mypyc (0 s)', flush=True); time.sleep(1)"
    monkeypatch.setattr(build_wheel, "BACKEND", silent)
    assert build_wheel.run_backend(tmp_path, tmp_path / "out") is None
    said = capsys.readouterr().err.splitlines()
    assert said[0] == "build_wheel: mypyc (0 s)"
    assert set(said[1:]) == {"build_wheel: still at it; the last was: mypyc (0 s)"}


def test_end_when_tests_were_skipped_then_counted_with_the_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "left-out.jsonl"
    file.write_text('{"no browser": 2, "no strace": 1}\n{"no browser": 1}\n')
    monkeypatch.setattr(prepare, "LEFT_OUT", file)
    monkeypatch.setattr(prepare, "missing_packages", lambda: ["chromium", prepare.JAVA, "strace"])
    prepare.left_out()
    assert capsys.readouterr().err.splitlines() == [
        "prepare: 4 tests were skipped:",
        "prepare:     3  no browser",
        "prepare:     1  no strace",
        "prepare: left out here, because this machine lacks: chromium (a look at the pages), strace"
        " (walks of real processes)",
        "prepare: as root on Debian, this brings it: apt-get install chromium strace",
    ]
    assert not file.exists()


def test_run_when_tests_are_skipped_then_the_reasons_are_kept(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "left-out.jsonl"
    monkeypatch.setenv("TERNMQ_LEFT_OUT", str(file))
    pytester.makepyfile(
        "import pytest\n"
        "def test_one():\n    pytest.skip('no browser')\n"
        "@pytest.mark.skip('later')\ndef test_two():\n    pass\n"
    )
    for _ in range(2):
        pytester.runpytest("-p", "tests.left_out").assert_outcomes(skipped=2)
    values = [json.loads(line) for line in file.read_text().splitlines()]
    assert values == [{"no browser": 1, "later": 1}] * 2
