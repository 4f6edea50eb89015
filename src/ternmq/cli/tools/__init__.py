"""Commands of our own: `ternmq smf`, `pipeline`, `report`, `lake`, `perf` and others."""
