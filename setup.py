"""Compiles the core with mypyc, as one group; without a C compiler the plain files do, loudly.

What is compiled stands in tools/layers.toml; docs/build.md explains. The environment decides:

    TERNMQ_PURE=1               do not compile
    TERNMQ_REQUIRE_COMPILED=1   fail instead of falling back
    TERNMQ_OPT=0..3             optimisation level of the C compiler (2)
    TERNMQ_JOBS=n               C files compiled at the same time (one a core)
    TERNMQ_PREBUILT=folder      take the compiled files from there (tools/build_wheel.py does)
    TERNMQ_PLAIN_REASON=text    with TERNMQ_PURE: the reason that build_info() will give
"""

import json
import os
import shutil
import sys
import sysconfig
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from setuptools import Distribution, Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT))

from tools.layers import compiled_files, load  # noqa: E402

OPT_LEVEL = os.environ.get("TERNMQ_OPT", "2")
PROGRESS_S = 10.0
FEW_FILES = 10  # the end of a small extension is not worth a line
PREBUILT = os.environ.get("TERNMQ_PREBUILT", "")
RECORD = Path("ternmq", "base", "build_record.json")
# Strictness is for `make check`: with another Python or other stubs an ignore may be needless.
MYPY_OPTIONS = ["--no-warn-unused-ignores", "--no-warn-unreachable", "--no-warn-unused-configs"]


def is_set(name: str) -> bool:
    return os.environ.get(name, "") not in ("", "0")


class PlainFallback(Exception):
    """The core cannot be compiled here; the text says why."""


def give_up(reason: str) -> None:
    """Go on without compiling, loudly; or stop, where a compiled build was demanded."""
    if is_set("TERNMQ_REQUIRE_COMPILED"):
        sys.exit(f"ternmq: the core was not compiled: {reason}")
    line = "*" * 88
    text = f"WARNING: ternmq is built as PLAIN PYTHON, several times slower: {reason}"
    sys.stderr.write(f"\n{line}\n{text}\n{line}\n\n")


def write_record(build_lib: str, *, compiled: bool, reason: str) -> None:
    """Leave beside the package how it was built, for ternmq.base.build."""
    record = {"compiled": compiled, "opt_level": OPT_LEVEL if compiled else "", "reason": reason}
    target = Path(build_lib, RECORD)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(record, sort_keys=True) + "\n", encoding="utf-8")


def needs_extensions() -> bool:
    """Metadata commands run setup.py as well; they must not pay for the compiler."""
    commands = {"bdist_wheel", "build", "build_ext", "develop", "editable_wheel", "install"}
    return not commands.isdisjoint(sys.argv)


def choose_compiler() -> None:
    """Raise PlainFallback without a C compiler; put ccache before it where there is one."""
    compiler = os.environ.get("CC") or (sysconfig.get_config_var("CC") or "cc").split()[0]
    if shutil.which(compiler.split()[0]) is None:
        raise PlainFallback(f"no C compiler ({compiler})")
    header = Path(sysconfig.get_path("include"), "Python.h")
    if not header.exists():
        raise PlainFallback(f"no {header.name}: install the Python development headers")
    if shutil.which("ccache") is not None and "ccache" not in compiler:
        os.environ["CC"] = f"ccache {compiler}"


def generate_c() -> list[Extension]:
    """Translate the core to C; the compiler runs later, in build_ext."""
    choose_compiler()
    try:
        from mypyc.build import mypycify
    except ImportError as error:
        raise PlainFallback(f"mypyc is missing ({error})") from error
    paths = [str(path.relative_to(ROOT)) for path in compiled_files(load())]
    begun = time.monotonic()
    tell(f"mypyc: {len(paths)} modules to be translated to C", 0)
    try:
        extensions: list[Extension] = mypycify(
            [*MYPY_OPTIONS, *paths],
            opt_level=OPT_LEVEL,
            debug_level="0",
            multi_file=True,
            group_name="ternmq_core",
        )
    except (Exception, SystemExit) as error:
        raise PlainFallback(f"mypyc failed ({type(error).__name__}: {error})") from error
    tell("mypyc: done; now the C compiler", time.monotonic() - begun)
    return extensions


class BuildPy(build_py):
    """Also writes the build record."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            compiled = bool(PREBUILT or self.distribution.ext_modules)
            write_record(self.build_lib, compiled=compiled, reason=plain_reason)


class BuildExt(build_ext):
    """Compiles the C files of the one big extension in parallel; a failure means plain files."""

    def run(self) -> None:
        if PREBUILT:
            self.copy_prebuilt()
            return
        try:
            super().run()
        except Exception as error:
            sys.stderr.write(f"{error}\n")
            reason = f"the C compiler failed ({type(error).__name__})"
            give_up(reason)
            for path in Path(self.build_lib).rglob("*.so"):
                path.unlink()
            write_record(self.build_lib, compiled=False, reason=reason)
            self.extensions = []

    def copy_prebuilt(self) -> None:
        for path in Path(PREBUILT).rglob("*.so"):
            target = Path(self.build_lib, path.relative_to(PREBUILT))
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, target)

    def build_extensions(self) -> None:
        compile_all = self.compiler.compile
        jobs = int(os.environ.get("TERNMQ_JOBS", "0")) or os.cpu_count() or 1

        def compile_parallel(sources: list[str], **options: Any) -> list[str]:
            largest_first = sorted(sources, key=os.path.getsize, reverse=True)
            progress = Progress(sum(os.path.getsize(source) for source in sources), len(sources))
            with ThreadPoolExecutor(jobs) as pool:

                def compile_one(source: str) -> list[str]:
                    names: list[str] = compile_all([source], **options)
                    progress.did(os.path.getsize(source))
                    return names

                return [name for names in pool.map(compile_one, largest_first) for name in names]

        self.compiler.compile = compile_parallel
        # Beside the one big library there is a small extension module for each source file: one
        # after the other they would leave the other processors idle for most of a minute.
        self.parallel = jobs
        super().build_extensions()


class Progress:
    """Says now and then how far the C compiler is; tools/build_wheel.py hands it on."""

    def __init__(self, whole_bytes: int, files: int) -> None:
        self._whole_bytes = whole_bytes
        self._files = files
        self._bytes = 0
        self._done = 0
        self._begun = self._said = time.monotonic()
        self._lock = threading.Lock()

    def did(self, size: int) -> None:
        with self._lock:
            self._bytes += size
            self._done += 1
            now = time.monotonic()
            is_end = self._done == self._files and self._files > FEW_FILES
            if now - self._said < PROGRESS_S and not is_end:
                return
            self._said = now
            share = 100 * self._bytes // max(self._whole_bytes, 1)
            tell(
                f"C compiler: {self._done} of {self._files} files, {share} % of the code",
                now - self._begun,
            )


def tell(text: str, seconds: float) -> None:
    sys.stderr.write(f"progress: {text} ({seconds:.0f} s)\n")
    sys.stderr.flush()


class CoreDistribution(Distribution):
    def has_ext_modules(self) -> bool:
        return bool(PREBUILT) or super().has_ext_modules()


extensions: list[Extension] = []
plain_reason = ""
if is_set("TERNMQ_PURE"):
    plain_reason = os.environ.get("TERNMQ_PLAIN_REASON", "TERNMQ_PURE was set for the build")
elif needs_extensions() and not PREBUILT:
    try:
        extensions = generate_c()
    except PlainFallback as error:
        plain_reason = str(error)
        give_up(plain_reason)

setup(
    ext_modules=extensions,
    cmdclass={"build_ext": BuildExt, "build_py": BuildPy},
    distclass=CoreDistribution,
)
