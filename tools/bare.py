"""The front door on a bare machine: `make run` and `make test` as an ordinary user of a minimal
Debian, which has Python, venv, make and git, and neither Java nor a C compiler.

As root on Debian, with debootstrap (`apt-get install debootstrap`). A root folder is made for each
release and kept in the cache; the commit that is checked out is cloned into it, and each target
runs there with a process and mount namespace of its own, as a user without rights and with that
user's usual limits. What the machine needs to reach package registries (variables of pip, of
proxies and of certificates, /etc/pip.conf, the certificates themselves) is handed on at run time.
The result goes to proof/bare/RELEASE.json, the output to build/bare.

    python3 tools/bare.py [--releases bookworm,trixie] [--targets run,test] [--fresh]
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools.build_wheel import cache_folder  # noqa: E402

RECORDS = ROOT / "proof" / "bare"
LOGS = ROOT / "build" / "bare"
RELEASES = {"bookworm": "Debian 12", "trixie": "Debian 13"}
PACKAGES = "python3,python3-venv,make,git,ca-certificates"
MIRROR = "http://deb.debian.org/debian"
USER, USER_ID = "tester", 1000
HOME = f"/home/{USER}"
LIMITS = "ulimit -Sn 1024; ulimit -Hn 4096; ulimit -c 0"
CERTIFICATES = "etc/ssl/certs/ca-certificates.crt"
HANDED_ON = re.compile(
    r"(PIP_|SSL_|REQUESTS_|CURL_|GIT_SSL_)\w+|(https?|no|all)_proxy", re.IGNORECASE
)
COUNTS = re.compile(r"\b(\d+) (passed|failed|errors?|skipped|deselected)\b")
NOT_THERE = ("java", "cc", "gcc", "kill", "ps")


def say(text: str) -> None:
    sys.stderr.write(f"bare: {text}\n")
    sys.stderr.flush()


def make_root(release: str, *, fresh: bool) -> Path:
    """A minimal root folder of a release, from the cache if it is there."""
    folder = cache_folder() / "bare" / release
    if fresh and folder.exists():
        shutil.rmtree(folder)
    if (folder / "made").exists():
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    say(f"debootstrap of {release} into {folder}")
    command = ["debootstrap", "--variant=minbase", f"--include={PACKAGES}", release]
    done = subprocess.run([*command, str(folder), MIRROR], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{done.stdout[-3000:]}{done.stderr}bare: debootstrap failed, see above")
    shell = f"useradd --create-home --uid {USER_ID} --shell /bin/bash {USER}"
    subprocess.run(["chroot", str(folder), "sh", "-c", shell], check=True)
    (folder / "made").touch()
    return folder


def furnish(folder: Path) -> None:
    """What the machine around it lends: names of hosts, certificates, settings of pip. And what an
    earlier run has left is removed."""
    for left in (folder / "tmp").iterdir():
        shutil.rmtree(left) if left.is_dir() else left.unlink()
    for path in ("etc/resolv.conf", "etc/hosts", "etc/pip.conf", CERTIFICATES):
        source = Path("/", path)
        if source.exists():
            shutil.copyfile(source, folder / path)


def clone(folder: Path) -> str:
    """The commit that is checked out here, for the user; which one."""
    home = folder / HOME.lstrip("/")
    shutil.rmtree(home)
    home.mkdir()
    target = home / "ternmq"
    command = ["git", "clone", "--quiet", "--depth", "1", f"file://{ROOT}", str(target)]
    subprocess.run(command, check=True)
    for above, folders, files in os.walk(home):
        for name in (above, *(os.path.join(above, one) for one in folders + files)):
            os.chown(name, USER_ID, USER_ID, follow_symlinks=False)
    reported = ["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"]
    return subprocess.run(reported, capture_output=True, text=True, check=True).stdout.strip()


def inside(folder: Path, script: str) -> list[str]:
    """The command that runs a script as the user; what it starts ends with it."""
    lent = [f"{k}={v}" for k, v in sorted(os.environ.items()) if HANDED_ON.fullmatch(k)]
    plain = [f"HOME={HOME}", f"USER={USER}", f"LOGNAME={USER}", "LANG=C.UTF-8"]
    path = "PATH=/usr/local/bin:/usr/bin:/bin"
    mounts = (
        f"mount -t proc proc {folder}/proc && mount -t tmpfs -o mode=1777 shm {folder}/dev/shm"
        f" && mount -t devpts -o ptmxmode=0666 devpts {folder}/dev/pts && exec"
    )
    user = f"chroot --userspec={USER_ID}:{USER_ID} {folder} env -i"
    quoted = " ".join(f"'{one}'" for one in (*plain, path, *lent))
    shell = f"{mounts} {user} {quoted} bash -c '{LIMITS}; cd {HOME}/ternmq && {script}'"
    return ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", shell]


def ask(folder: Path, script: str) -> str:
    done = subprocess.run(inside(folder, script), capture_output=True, text=True, check=False)
    return done.stdout.strip()


def run_target(folder: Path, release: str, target: str) -> dict[str, Any]:
    """One target to its end; what the record says of it."""
    LOGS.mkdir(parents=True, exist_ok=True)
    log = LOGS / f"{release}-{target}.log"
    say(f"make {target} on {RELEASES[release]}; its output is in {log.relative_to(ROOT)}")
    begun = time.monotonic()
    with log.open("wb") as file:
        done = subprocess.run(
            inside(folder, f"make {target}"), stdout=file, stderr=subprocess.STDOUT, check=False
        )
    seconds = round(time.monotonic() - begun)
    text = log.read_text(encoding="utf-8", errors="replace")
    lines = text.splitlines()
    values: dict[str, Any] = {"ended_well": done.returncode == 0, "seconds": seconds}
    sums = [line.strip("= ") for line in lines if COUNTS.search(line) and " in " in line]
    if sums:
        values["pytest"] = sums
    values["said_at_the_end"] = [
        line.removeprefix("prepare: ").strip() for line in lines[-40:] if line.startswith("prepare")
    ]
    say(f"make {target}: {'ended well' if values['ended_well'] else 'FAILED'} after {seconds} s")
    if done.returncode != 0:
        sys.stderr.write("\n".join(lines[-30:]) + "\n")
    return values


def check_bare(folder: Path) -> None:
    """That the root has nothing that would hide a fault."""
    there = [name for name in NOT_THERE if ask(folder, f"command -v {name}").startswith("/")]
    if there:
        sys.exit(f"bare: {folder} has {', '.join(there)}: make it again with --fresh")


def run_release(release: str, targets: list[str], *, fresh: bool) -> bool:
    folder = make_root(release, fresh=fresh)
    furnish(folder)
    commit = clone(folder)
    check_bare(folder)
    record: dict[str, Any] = {
        "system": RELEASES[release],
        "python": ask(folder, "python3 --version").removeprefix("Python "),
        "limit_of_open_files": int(ask(folder, "ulimit -n")),
        "commit": commit,
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "cores": os.cpu_count(),
        "targets": {},
    }
    path = RECORDS / f"{release}.json"
    for target in targets:
        record["targets"][target] = run_target(folder, release, target)
        RECORDS.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    return all(one["ended_well"] for one in record["targets"].values())


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--releases", default=",".join(RELEASES))
    parser.add_argument("--targets", default="run,test")
    parser.add_argument("--fresh", action="store_true", help="make the root folders again")
    options = parser.parse_args(arguments)
    if os.geteuid() != 0 or shutil.which("debootstrap") is None:
        sys.exit("bare: needs root and debootstrap: apt-get install debootstrap")
    releases = options.releases.split(",")
    unknown = [one for one in releases if one not in RELEASES]
    if unknown:
        sys.exit(f"bare: {unknown[0]} is none of {', '.join(RELEASES)}")
    wells = [run_release(one, options.targets.split(","), fresh=options.fresh) for one in releases]
    return 0 if all(wells) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
