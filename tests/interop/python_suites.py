"""`make interop`: the test suites of ibmmq and pymqi themselves, through `ternmq.compat`.

python -m tests.interop.python_suites [--only TEXT] [--record]

ibmmq's suite comes with its source on PyPI, pymqi's only with its repository. Both are fetched into
the user's cache folder (TERNMQ_PYTHON_SUITES names another one) from pip's index and by git; a
suite that cannot be had is skipped and named. Nothing of them is a part of this project. They
import `ibmmq` and `pymqi`, which here are our compatible modules; nothing in them is changed.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final
from urllib.parse import urljoin
from xml.etree import ElementTree

from tests.interop import served
from tests.interop.jars import NotHere
from tools.layers import ROOT

RECORD: Final = ROOT / "proof" / "interop" / "python.json"
_FETCH_S: Final = 60
_RUN_S: Final = 600


@dataclass(frozen=True)
class PythonSuite:
    """A library's own tests."""

    name: str
    version: str
    tests: str  # the folder of the tests
    prefix: str  # of the variables that say where the queue manager is
    repository: str  # empty: it is in the source on PyPI


SUITES: Final = (
    PythonSuite("ibmmq", "2.1.2", "code/tests", "PY_IBMMQ_TEST_", ""),
    PythonSuite(
        "pymqi", "1.12.11", "code/tests", "PYMQI_TEST_", "https://github.com/zatosource/pymqi"
    ),
)
# What is known to fail, and why; anything else that fails is news.
_DESCRIBED: Final = "looks for queues that are described as IBM's"
_OWN_FILES: Final = "tests files that the library itself is generated from"
KNOWN: Final[dict[str, dict[str, str]]] = {
    "ibmmq": {
        "test_h2py": _OWN_FILES,
        "test_mqcfsf": _DESCRIBED,
        "test_object_filter_str_old": _DESCRIBED,
    },
    "pymqi": {
        "test_h2py": _OWN_FILES,
        "test_mqcfsf": _DESCRIBED,
        "test_object_filter_str_old": _DESCRIBED,
    },
}
_SHIM: Final = """
import importlib, pkgutil, sys
import ternmq.compat.{name} as own
for found in pkgutil.iter_modules(own.__path__):
    module = importlib.import_module(f"ternmq.compat.{name}.{{found.name}}")
    sys.modules[f"{name}.{{found.name}}"] = module
sys.modules["{name}"] = own
"""


def cache() -> Path:
    given = os.environ.get("TERNMQ_PYTHON_SUITES", "")
    home = os.environ.get("XDG_CACHE_HOME", "") or os.path.expanduser("~/.cache")
    return Path(given) if given else Path(home) / "ternmq" / "python-suites"


def fetched(suite: PythonSuite) -> Path:
    """The folder with the suite; NotHere says why there is none."""
    folder = cache() / f"{suite.name}-{suite.version}"
    if not (folder / suite.tests).is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        if suite.repository:
            _clone(suite, folder)
        else:
            _download(suite, folder)
    if not (folder / suite.tests).is_dir():
        raise NotHere(f"{suite.name} {suite.version} has no {suite.tests}")
    return folder / suite.tests


def _clone(suite: PythonSuite, folder: Path) -> None:
    command = ["git", "clone", "-q", "--depth", "1", "--branch", f"v{suite.version}"]
    try:
        done = subprocess.run(
            [*command, suite.repository, str(folder)],
            capture_output=True,
            text=True,
            timeout=_FETCH_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NotHere(f"git could not bring {suite.repository}: {error}") from error
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines()
        raise NotHere(f"git could not bring {suite.repository}: {lines[-1] if lines else '?'}")


def _index() -> str:
    given = os.environ.get("PIP_INDEX_URL", "")
    if not given:
        command = [sys.executable, "-m", "pip", "config", "get", "global.index-url"]
        output = subprocess.run(command, capture_output=True, text=True, check=False)
        given = output.stdout.strip()
    return (given or "https://pypi.org/simple").rstrip("/")


def _download(suite: PythonSuite, folder: Path) -> None:
    """pip would build it, which needs IBM's client library; so its index is asked."""
    wanted = f"{suite.name}-{suite.version}.tar.gz"
    try:
        with urllib.request.urlopen(f"{_index()}/{suite.name}/", timeout=_FETCH_S) as page:
            links = re.findall(r'href="([^"]+)"', page.read().decode("utf-8"))
            found = [urljoin(page.geturl(), one) for one in links if f"{wanted}#" in f"{one}#"]
        if not found:
            raise NotHere(f"the package index has no {wanted}")
        with (
            urllib.request.urlopen(found[0].partition("#")[0], timeout=_FETCH_S) as source,
            tarfile.open(fileobj=source, mode="r|gz") as archive,
        ):
            archive.extractall(folder.parent, filter="data")
    except (OSError, urllib.error.URLError, tarfile.TarError) as error:
        raise NotHere(f"{wanted} could not be fetched: {type(error).__name__}") from error


def _needed() -> Path:
    """What the suites import besides, in a folder of its own."""
    folder = cache() / "needed"
    if not (folder / "ddt.py").is_file():
        command = [sys.executable, "-m", "pip", "install", "-q", "--target", str(folder), "ddt"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise NotHere("pip could not install ddt, which the suites need")
    return folder


def run_suite(suite: PythonSuite, tests: Path, port: int, work: Path) -> dict[str, str]:
    """What became of each test: passed, skipped, or why it failed."""
    shim = work / f"{suite.name}-shim"
    shim.mkdir()
    (shim / f"{suite.name}.py").write_text(_SHIM.format(name=suite.name), encoding="utf-8")
    result = work / f"{suite.name}.xml"
    ours = os.environ.get("PYTHONPATH", "")  # none where the installed package is used
    paths = [shim, _needed(), tests, *(Path(one).absolute() for one in ours.split(":") if one)]
    settings = {
        "QM_NAME": served.NAME,
        "QM_HOST": "127.0.0.1",
        "QM_PORT": str(port),
        "QM_USER": served.ADMINISTRATOR,
        "QM_PASSWORD": served.PASSWORD,
        "QM_APP_USER": served.USER,
        "QM_APP_PASSWORD": served.PASSWORD,
        "QM_CHANNEL": "DEV.ADMIN.SVRCONN",
        "QM_APP_CHANNEL": "J.OPTIONAL",
        "QM_CONNAUTH_USE_PW": "REQUIRED",  # ibmmq
        "QM_CONN_AUTH_USE_PW": "REQUIRED",  # pymqi
    }
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(str(path) for path in paths),
        **{suite.prefix + name: value for name, value in settings.items()},
    }
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull]
    command += ["--continue-on-collection-errors", "--rootdir", str(tests)]
    command += [f"--junitxml={result}", str(tests)]
    with open(work / f"{suite.name}.txt", "wb") as said:
        subprocess.run(
            command,
            env=environment,
            cwd=work,
            stdout=said,
            stderr=said,
            timeout=_RUN_S,
            check=False,
        )
    return dict(_outcomes(result)) if result.is_file() else {"all": "the suite did not run"}


def _outcomes(result: Path) -> Iterator[tuple[str, str]]:
    for case in ElementTree.parse(result).iter("testcase"):
        name = f"{case.get('classname', '')}.{case.get('name', '')}"
        outcome = "passed"
        for child in case:
            if child.tag == "skipped":
                outcome = "skipped"
            elif child.tag in ("failure", "error"):
                outcome = f"failed: {child.get('message', '')[:160]}"
        yield name, outcome


def known(suite: str, test: str) -> str:
    """Why a test is known to fail; empty if it is not."""
    return next((why for part, why in KNOWN[suite].items() if part in test), "")


def main() -> int:
    line = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    line.add_argument("--only", default="", help="suites whose name has this in it")
    line.add_argument("--record", action="store_true", help="write proof/interop/python.json")
    asked = line.parse_args()
    record: dict[str, object] = {"date": datetime.now(UTC).strftime("%Y-%m-%d")}
    suites: dict[str, object] = {}
    news = 0
    with tempfile.TemporaryDirectory(prefix="tmq") as folder:
        data = Path(folder) / "data"
        data.mkdir()
        with served.queue_manager(data, []) as port:
            for suite in (one for one in SUITES if asked.only in one.name):
                reported, unexpected = _judged(suite, port, Path(folder))
                suites[suite.name] = reported
                news += unexpected
    if asked.record:
        RECORD.write_text(json.dumps({**record, "suites": suites}, indent=1) + "\n", "utf-8")
    return 1 if news else 0


def _judged(suite: PythonSuite, port: int, work: Path) -> tuple[dict[str, object], int]:
    """What is recorded of a suite, and how many failures nobody knew of."""
    try:
        outcomes = run_suite(suite, fetched(suite), port, work)
    except NotHere as missing:
        sys.stdout.write(f"skipped {suite.name} {suite.version}: {missing}\n")
        return {"version": suite.version, "skipped": str(missing)}, 0
    counts = Counter(one.partition(":")[0] for one in outcomes.values())
    failed = {name: one for name, one in outcomes.items() if one.startswith("failed")}
    failed |= {name: one for name, one in outcomes.items() if name == "all"}
    unexpected = 0
    for name, why in failed.items():
        reason = known(suite.name, name)
        unexpected += not reason
        sys.stdout.write(f"{suite.name} {name}: {reason or why}\n")
    reported = ", ".join(f"{name} {count}" for name, count in sorted(counts.items()))
    sys.stdout.write(f"{suite.name} {suite.version}: {reported}; {unexpected} not known before\n")
    reasons = {name: known(suite.name, name) or why for name, why in failed.items()}
    return {"version": suite.version, "counts": dict(counts), "failed": reasons}, unexpected


if __name__ == "__main__":
    sys.exit(main())
