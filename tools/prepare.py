"""Makes .venv ready: the tools of pyproject.toml at the versions of constraints.txt, and the wheel.

Needs nothing but Python (3.11 or newer) and pip. Does only what is missing, so that a repeated call
takes a second or two. With `--system`, as root on Debian, first installs what a bare machine lacks
(ccache, Java for Spark, Chromium for the pages, a C compiler, venv and headers for Debian's own
Python); elsewhere it says so.

    python3 tools/prepare.py [--system] [--require-compiled] [--tools-only]
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
CONSTRAINTS = ROOT / "tools" / "constraints.txt"
EXTRAS = ("test", "dev", "spark")
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
APT_TIMEOUT_S = 300


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
        lacking.append("default-jre-headless")  # for Spark
    if not any(shutil.which(name) for name in BROWSERS):
        lacking.append("chromium")  # looks at pages of reports
    if sys.base_prefix == "/usr":  # Debian's own Python comes in parts
        if not Path(sysconfig.get_path("include"), "Python.h").exists():
            lacking.append("python3-dev")
        if not has_ensurepip():
            lacking.append("python3-venv")
    return lacking


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
        say(f"this machine lacks {' '.join(lacking)}; the build goes on without")
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


def requirements() -> list[str]:
    """What .venv needs: to build, to run and to test. pyproject.toml is the only list."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = list(project["build-system"]["requires"]) + list(project["project"]["dependencies"])
    for extra in EXTRAS:
        wanted += project["project"]["optional-dependencies"][extra]
    return sorted(set(wanted))


def is_marked(name: str, text: str) -> bool:
    mark = VENV / name
    return mark.exists() and mark.read_text(encoding="utf-8") == text


def pip(*arguments: str) -> None:
    quiet = ("--quiet", "--disable-pip-version-check", "--no-input")
    subprocess.run([str(PYTHON), "-m", "pip", *arguments[:1], *quiet, *arguments[1:]], check=True)


def prepare_tools() -> None:
    """Create .venv and install the tools, unless that was done for the same list and Python."""
    wanted = requirements()
    pins = CONSTRAINTS.read_bytes()
    key = hashlib.sha256("\0".join([sys.version, *wanted]).encode() + pins).hexdigest()
    if PYTHON.exists() and is_marked("tools.key", key):
        return
    if not has_ensurepip():
        sys.exit("prepare: this Python cannot make environments: install python3-venv")
    say(f"installing the tools into {VENV.name} (the first time: Spark is a download of 450 MB)")
    venv.create(VENV, with_pip=True, symlinks=True, clear=False)
    pip("install", "--constraint", str(CONSTRAINTS), *wanted)
    (VENV / "tools.key").write_text(key, encoding="utf-8")


def prepare_package(*options: str) -> int:
    """Install the wheel, unless it is the one that is there."""
    script = str(ROOT / "tools" / "build_wheel.py")
    built = subprocess.run(
        [str(PYTHON), script, *options], stdout=subprocess.PIPE, text=True, check=False
    )
    if built.returncode != 0:
        return built.returncode
    wheel = built.stdout.strip().rpartition("\n")[2]
    key = f"{wheel} {hashlib.sha256(Path(wheel).read_bytes()).hexdigest()}"
    if not is_marked("wheel.key", key):
        pip("install", "--no-deps", "--force-reinstall", wheel)
        (VENV / "wheel.key").write_text(key, encoding="utf-8")
    # From another folder, so that it is the installed package that answers.
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "TERNMQ_PURE")}
    question = [str(PYTHON), "-m", "ternmq.base.build"]
    return subprocess.run(question, cwd=VENV, env=environment, check=False).returncode


def main(arguments: list[str]) -> int:
    prepare_system(may_install="--system" in arguments)
    with (ROOT / "tools" / "layers.toml").open() as lock:  # one at a time in a checkout
        fcntl.flock(lock, fcntl.LOCK_EX)
        prepare_tools()
        if "--tools-only" in arguments:
            return 0
        return prepare_package(*(o for o in arguments if o == "--require-compiled"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
