"""Compiles the core with mypyc, as one group; without a C compiler the plain files do, loudly.

What is compiled stands in tools/layers.toml; docs/internals/build.md explains. The environment
decides:

    TERNMQ_PURE=1               do not compile
    TERNMQ_REQUIRE_COMPILED=1   fail instead of falling back
    TERNMQ_OPT=0..3             optimisation level of the C compiler; without it,
                                2 for the modules of [optimised] and g for the others
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

from tools import core_c  # noqa: E402
from tools.layers import compiled_files, load, optimised_files  # noqa: E402

OPT_LEVEL = os.environ.get("TERNMQ_OPT", "")
OPT_HOT, OPT_COLD = OPT_LEVEL or "2", OPT_LEVEL or "g"
PROGRESS_S = 10.0
PREBUILT = os.environ.get("TERNMQ_PREBUILT", "")
RECORD = Path("ternmq", "base", "build_record.json")
SIZES: dict[str, int] = {}  # of the code in a C file that only includes others
HOT: set[str] = set()  # C files to be optimised as the modules of [optimised]
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
    record = {"compiled": compiled, "opt_level": OPT_HOT if compiled else "", "reason": reason}
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
    log_message(f"mypyc: {len(paths)} modules to be translated to C", 0)
    try:
        extensions: list[Extension] = mypycify(
            [*MYPY_OPTIONS, *paths],
            opt_level=OPT_COLD,
            debug_level="0",
            multi_file=True,
            group_name=core_c.LIBRARY,
        )
    except (Exception, SystemExit) as error:
        raise PlainFallback(f"mypyc failed ({type(error).__name__}: {error})") from error
    prepare_c(extensions)
    log_message("mypyc: done; now the C compiler", time.monotonic() - begun)
    return extensions


def prepare_c(extensions: list[Extension]) -> None:
    """Docstrings, paths in tracebacks, and few large files instead of many; see tools/core_c.py."""
    library = extensions[0]
    sources = [Path(source) for source in library.sources]
    folder = sources[0].parent
    hot_files = optimised_files(load())
    hot, cold, runtime = [], [], []
    for source in sources:
        name = source.stem.removeprefix("__native_").replace("___", "/")
        python = ROOT / "src" / f"{name}.py"
        if python.exists():
            docs = core_c.docs_of(python.read_text("utf-8"))
            source.write_text(core_c.with_docs(source.read_text("utf-8"), docs), "utf-8")
            (hot if python in hot_files else cold).append(source)
        else:
            runtime.append(source)
        if source.name == "exc_ops.c":
            changed = core_c.with_source_paths(source.read_text("utf-8"))
            if changed is None:
                log_message(
                    "WARNING: this mypyc is unknown, tracebacks will have relative paths", 0
                )
            else:
                source.write_text(changed, "utf-8")
    hot_groups = core_c.grouped(hot, folder / "hot")
    groups = [*hot_groups, *core_c.grouped(cold, folder / "cold")]
    SIZES.update({str(path): size for path, size in groups})
    own = folder / f"__native_{core_c.LIBRARY}.c"  # begins the modules, once
    HOT.update(str(path) for path, _ in hot_groups)
    HOT.update(str(path) for path in runtime if path != own)
    library.sources = [*(str(path) for path, _ in groups), *(str(path) for path in runtime)]
    # Nothing but the entries is for others: calls inside the library need no table of jumps.
    library.extra_compile_args = [*library.extra_compile_args, "-fvisibility=hidden"]


class BuildPy(build_py):
    """Also writes the build record."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            compiled = bool(PREBUILT or self.distribution.ext_modules)
            write_record(self.build_lib, compiled=compiled, reason=plain_reason)


class BuildExt(build_ext):
    """Compiles the C files of the library in parallel; a failure means plain files."""

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
            largest_first = sorted(sources, key=code_size, reverse=True)
            progress = Progress(sum(map(code_size, sources)), len(sources))
            with ThreadPoolExecutor(jobs) as pool:

                def compile_one(source: str) -> list[str]:
                    level = [f"-O{OPT_HOT}"] if source in HOT else []
                    more = [*(options.get("extra_postargs") or ()), *level]
                    names: list[str] = compile_all([source], **{**options, "extra_postargs": more})
                    progress.did(code_size(source))
                    return names

                return [name for names in pool.map(compile_one, largest_first) for name in names]

        self.compiler.compile = compile_parallel
        library, *entries = self.extensions
        self.build_extension(library)
        self.compiler.compile = compile_all
        if "PyModuleDef_Init" in Path(entries[0].sources[0]).read_text("utf-8"):
            # A Python without a global lock: mypyc's own files, one after the other.
            for extension in entries:
                self.build_extension(extension)
        else:
            self.build_entries([extension.name for extension in entries])

    def build_entries(self, modules: list[str]) -> None:
        """The extension modules: each is a copy of a library with the entries of many."""
        folder = Path(self.build_temp, "doors")
        for entry_file in core_c.entry_files(modules, folder):
            objects = self.compiler.compile(
                [entry_file.source],
                output_dir=self.build_temp,
                include_dirs=[sysconfig.get_path("include")],
                extra_postargs=["-O1", "-g0", "-fvisibility=hidden"],
            )
            made = str(Path(entry_file.source).with_suffix(".so"))
            self.compiler.link_shared_object(objects, made, extra_postargs=["-s"])
            for module in entry_file.modules:
                target = Path(self.get_ext_fullpath(module))
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(made, target)


def code_size(source: str) -> int:
    return SIZES.get(source) or os.path.getsize(source)


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
            is_end = self._done == self._files
            if now - self._said < PROGRESS_S and not is_end:
                return
            self._said = now
            share = self._bytes / max(self._whole_bytes, 1)
            left_s = (now - self._begun) * (1 - share) / share
            left = "" if is_end else f", about {left_s:.0f} s left"
            log_message(f"C compiler: {share:.0%} of the code{left}", now - self._begun)


def log_message(text: str, seconds: float) -> None:
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
