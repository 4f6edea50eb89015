"""Goal: Spark gets a Java that is new enough, or the user a sentence that says what to do.

Method: folders that look like an installed Java, in JAVA_HOME, on the PATH and in the usual places.
"""

from pathlib import Path

import pytest

from ternmq.spark.errors import SparkError
from ternmq.spark.java import Java, find_java


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
    with pytest.raises(SparkError, match=r"Java 17 or newer, and none was found.*apt-get install"):
        find_java({"PATH": str(tmp_path)}, (str(tmp_path),))


def test_only_old_java_when_looked_for_then_error_says_which_was_found(tmp_path: Path) -> None:
    old = install(tmp_path / "a", "11.0.2")
    with pytest.raises(SparkError, match=f"only Java 11 in {old} was found"):
        find_java({"JAVA_HOME": str(old), "PATH": ""}, ())


def test_program_when_it_does_not_run_then_it_is_no_java(tmp_path: Path) -> None:
    home = install(tmp_path / "a", answer="I am no Java")
    with pytest.raises(SparkError, match="none was found"):
        find_java({"JAVA_HOME": str(home), "PATH": ""}, ())
