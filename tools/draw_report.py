"""Draws docs/images/report.png: the top of a report page, as a browser shows it.

    python examples/story.py --page build/tour/report.html     # or make run
    python tools/draw_report.py build/tour/report.html

Needs Chromium. The page has nothing of the machine in it, and so has the picture.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "images" / "report.png"
NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS: Final = (
    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars",
    "--disable-background-networking", "--force-color-profile=srgb", "--virtual-time-budget=3000",
)  # fmt: skip
SIZE: Final = "1340,880"


def main(arguments: list[str]) -> int:
    browser = next((found for name in NAMES if (found := shutil.which(name))), None)
    if browser is None or len(arguments) != 1:
        sys.stderr.write(__doc__ or "")
        return 2
    page = Path(arguments[0]).resolve()
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="chromium-") as profile:
        subprocess.run(
            [
                browser, *FLAGS, f"--user-data-dir={profile}", f"--screenshot={PICTURE}",
                f"--window-size={SIZE}", page.as_uri(),
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=120,
            check=True,
        )  # fmt: skip
    sys.stdout.write(f"written: {PICTURE.relative_to(ROOT)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
