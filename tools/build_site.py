"""Builds the site of the pages with Sphinx into build/site, to be opened offline; warnings fail.

    python tools/build_site.py            only pages that changed
    python tools/build_site.py --check    all pages, unless nothing changed since the last build

A build of changed pages alone does not see that a heading is gone to which another page links, so
`make check` builds all of them.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SITE = ROOT / "build" / "site"
READ = ROOT / "build" / "site-pages"  # pages as Sphinx keeps them between two builds
STAMP = READ / "inputs"
FRONT = "docs/index.html"
# What pages and docstrings are made of.
INPUTS = ("*.md", "docs/**/*", "src/**/*.md", "src/**/*.py", "tests/*.md", "tools/constraints.txt")
REDIRECT = f"""<!doctype html>
<meta charset="utf-8">
<title>TernMQ</title>
<meta http-equiv="refresh" content="0; url={FRONT}">
<a href="{FRONT}">TernMQ</a>
"""


def digest() -> str:
    """Of everything that the site is made from."""
    found = hashlib.sha256()
    paths = {path for pattern in INPUTS for path in ROOT.glob(pattern) if path.is_file()}
    for path in sorted(paths):
        found.update(f"{path.relative_to(ROOT)}\n".encode())
        found.update(hashlib.sha256(path.read_bytes()).digest())
    return found.hexdigest()


def built() -> bool:
    """Whether Sphinx has built the site without a warning."""
    # Docstrings come from the plain files: they are always those of this tree.
    environment = {**os.environ, "TERNMQ_PURE": "1", "PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-j", "auto"]
    command += ["-b", "html", "-c", str(ROOT / "docs"), "-d", str(READ), str(ROOT), str(SITE)]
    return subprocess.run(command, env=environment, cwd=ROOT, check=False).returncode == 0


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--check", action="store_true", help="build all pages if one has changed")
    check_all: bool = parser.parse_args(arguments).check
    inputs = digest()
    is_current = STAMP.exists() and STAMP.read_text(encoding="utf-8") == inputs
    if not (is_current and SITE.joinpath(FRONT).exists()):
        STAMP.unlink(missing_ok=True)
        if check_all:
            shutil.rmtree(READ, ignore_errors=True)
        if not built():
            # Pages that were read with a warning would not be read, and warned of, again.
            shutil.rmtree(READ, ignore_errors=True)
            return 1
        (SITE / "index.html").write_text(REDIRECT, encoding="utf-8")
        if check_all:
            STAMP.write_text(inputs, encoding="utf-8")
    sys.stdout.write(f"the site is {SITE / 'index.html'}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
