"""Luck from a seed: the only source of it in the simulator.

Everything that is drawn here is drawn again by the same seed. The one module of this package that
reaches past the ports, so that nothing else can look at a real clock or a real generator.
"""

from __future__ import annotations

import random


class Chance(random.Random):
    """A seeded generator. `branch` gives one of its own to each part, so that what one part draws
    does not move what another one gets."""

    def __init__(self, seed: int | str) -> None:
        super().__init__(str(seed))
        self.origin = str(seed)

    def branch(self, name: str) -> Chance:
        """Another generator, which depends on the seed and on this name alone."""
        return Chance(f"{self.origin}/{name}")

    def happens(self, rate: float) -> bool:
        """True as often as the rate (0 to 1) says."""
        return self.random() < rate
