"""Builds the wheel of the package, or takes it from a cache by the hash of what it is made of.

Three steps, each as cheap as it can be:
  nothing changed            the cached wheel, at once
  only plain files changed   the compiled files of the same core, new wheel around them, seconds
  the core changed           mypyc and the C compiler (through ccache where there is one), minutes

The tree is copied to a fixed folder of the cache and built there, so that a build leaves nothing in
the checkout and hits ccache from any clone. Prints the wheel's path as its last line. TERNMQ_CACHE
names the cache; the default is ternmq/ in the user's cache folder.

    python tools/build_wheel.py [--require-compiled]
"""

import contextlib
import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
import threading
import time
import zipfile
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools.layers import core_packages, load  # noqa: E402

FILES = ("pyproject.toml", "setup.py", "MANIFEST.in", "README.md", "LICENSE")
TOOLS = ("tools/core_c.py", "tools/layers.py", "tools/layers.toml")
KEPT = 12  # wheels, and compiled cores, that stay in the cache
PROGRESS_S = 10.0
PROGRESS = "progress: "  # begins the lines of setup.py that are for people
BACKEND = "import setuptools.build_meta as b, sys; b.build_wheel(sys.argv[1])"


def cache_folder() -> Path:
    chosen = os.environ.get("TERNMQ_CACHE")
    if chosen:
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ternmq"


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold an exclusive lock; a second build waits for the first and then finds its wheel."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def say(text: str) -> None:
    sys.stderr.write(f"build_wheel: {text}\n")
    sys.stderr.flush()


class Watch:
    """Says again what goes on when nothing was said for a while: mypyc itself is silent."""

    def __init__(self) -> None:
        self.ended = threading.Event()
        self._last = ""
        self._said = time.monotonic()
        threading.Thread(target=self._watch, daemon=True).start()

    def say(self, text: str) -> None:
        self._last, self._said = text, time.monotonic()
        say(text)

    def _watch(self) -> None:
        while not self.ended.wait(PROGRESS_S / 10):
            quiet_s = time.monotonic() - self._said
            if self._last and quiet_s >= PROGRESS_S:
                self._said = time.monotonic()
                say(f"still at it; the last was: {self._last}")


def source_paths() -> list[Path]:
    """Everything that goes into the wheel or steers its making, relative to the checkout."""
    found = [Path(name) for name in (*FILES, *TOOLS) if (ROOT / name).exists()]
    for path in (ROOT / "src").rglob("*"):
        relative = path.relative_to(ROOT)
        if path.is_file() and is_source(relative):
            found.append(relative)
    return sorted(found)


def is_source(path: Path) -> bool:
    made = {"__pycache__", "ternmq.egg-info"}
    return made.isdisjoint(path.parts) and path.suffix not in (".so", ".pyc")


def copy_tree(target: Path) -> list[Path]:
    """A copy of the sources; builds start from nothing, because setuptools never forgets a file."""
    shutil.rmtree(target, ignore_errors=True)
    paths = source_paths()
    for path in paths:
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / path, target / path)
    return paths


def digest_files(folder: Path, paths: list[Path], *more: str) -> str:
    digest = hashlib.sha256("\0".join(more).encode())
    for path in paths:
        content = (folder / path).read_bytes()
        digest.update(f"\0{path}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()[:24]


def compiler_name() -> str:
    """What the C compiler says of itself, or "" where there is none."""
    command = os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc"
    try:
        answer = subprocess.run(
            [*command.split(), "--version"], capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return ""
    return answer.stdout.partition("\n")[0]


def is_core(path: Path, names: list[str]) -> bool:
    """Whether a file bears on the compiled code; pyproject.toml holds mypy's settings."""
    parts = path.parts
    if parts[0] != "src":
        return path.name not in ("README.md", "LICENSE")
    return len(parts) > 3 and parts[2] in names and path.suffix in (".py", ".pyi")


def run_backend(stage: Path, out: Path, **environment: str) -> Path | None:
    """Build in the copy; the wheel, or None when the backend failed."""
    out.mkdir(parents=True, exist_ok=True)
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("TERNMQ_P")}
    said: list[str] = []
    watch = Watch()
    with subprocess.Popen(
        [sys.executable, "-c", BACKEND, str(out)],
        cwd=stage,
        env={**inherited, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        for line in process.stdout or ():
            if line.startswith(PROGRESS):
                watch.say(line.removeprefix(PROGRESS).strip())
            else:
                said.append(line)
    watch.ended.set()
    wheels = list(out.glob("*.whl"))
    if process.returncode != 0 or len(wheels) != 1:
        sys.stderr.write("".join(said)[-6000:])
        return None
    return wheels[0]


def compile_core(stage: Path, core: Path) -> bool:
    """Fill `core` with the compiled files of the copy; False when that is not possible here."""
    started = time.monotonic()
    ccache = "with ccache" if shutil.which("ccache") else "no ccache found"
    say(f"compiling the core ({ccache}); the first time takes minutes")
    out = core.with_suffix(".tmp")
    shutil.rmtree(out, ignore_errors=True)
    wheel = run_backend(stage, out, TERNMQ_REQUIRE_COMPILED="1")
    if wheel is None:
        shutil.rmtree(out, ignore_errors=True)
        return False
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(out, [name for name in archive.namelist() if name.endswith(".so")])
    wheel.unlink()
    out.rename(core)
    say(f"compiled in {time.monotonic() - started:.0f} s")
    return True


def drop_old(folder: Path) -> None:
    entries = sorted(folder.iterdir(), key=lambda entry: entry.stat().st_mtime, reverse=True)
    for entry in entries[KEPT:]:
        shutil.rmtree(entry, ignore_errors=True)


def find_or_build(cache: Path, *, require_compiled: bool) -> Path | None:
    stage = cache / "stage"
    paths = copy_tree(stage)
    pure = os.environ.get("TERNMQ_PURE", "") not in ("", "0")
    compiler = "" if pure else compiler_name()
    names = core_packages(load())
    tools = (
        sys.implementation.cache_tag + sysconfig.get_platform(),
        *(
            f"{tool} {version(tool)}"
            for tool in ("setuptools", "mypy", "mypy_extensions", "google-crc32c")
        ),
        os.environ.get("TERNMQ_OPT", ""),
        os.environ.get("CFLAGS", ""),
        compiler,
    )
    core_key = digest_files(stage, [path for path in paths if is_core(path, names)], *tools)
    wheels, cores = cache / "wheels", cache / "cores"
    for folder in (wheels, cores):
        folder.mkdir(parents=True, exist_ok=True)
        drop_old(folder)
    shelf = wheels / digest_files(stage, paths, core_key)
    for wheel in shelf.glob("*.whl"):
        os.utime(shelf)
        say("nothing changed")
        return wheel
    core = cores / core_key
    if compiler and not core.exists() and not compile_core(stage, core):
        say("THE CORE WAS NOT COMPILED, see above")
    if core.exists():
        os.utime(core)
        return run_backend(stage, shelf, TERNMQ_PREBUILT=str(core))
    if require_compiled:
        return None
    reason = "TERNMQ_PURE was set" if pure else "mypyc failed" if compiler else "no C compiler"
    say(f"WARNING: building PLAIN files: {reason}")
    # Not on the shelf: the next run is to try the compiler again.
    return run_backend(stage, shelf_plain(cache), TERNMQ_PURE="1", TERNMQ_PLAIN_REASON=reason)


def shelf_plain(cache: Path) -> Path:
    shelf = cache / "plain"
    shutil.rmtree(shelf, ignore_errors=True)
    return shelf


def main(arguments: list[str]) -> int:
    cache = cache_folder()
    with locked(cache / "build.lock"):
        wheel = find_or_build(cache, require_compiled="--require-compiled" in arguments)
    if wheel is None:
        say("no wheel")
        return 1
    sys.stdout.write(f"{wheel}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
