"""What the product is called and which version this is: the one place that says so."""

from __future__ import annotations

from typing import Final

VERSION: Final = "0.1.0.dev0"
