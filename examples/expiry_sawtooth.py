"""CAPEXPRY on a streaming queue, and the expiry task that runs every EXPRYINT seconds: the depth of
the two queues over time, as a plot.

Copies live for 20 minutes (CAPEXPRY in tenths of a second), the task looks every 5 minutes, so
from then on each look finds five minutes' worth of messages: a saw-tooth. Nobody reads either
queue. Time is simulated, and one message stands for a hundred.

python examples/expiry_sawtooth.py [file.svg]
"""

import sys
from pathlib import Path

from ternmq.testing import Simulation

MINUTES = 60
MESSAGES_A_MINUTE = 120  # in the report 200 a second
CAP_MINUTES = 20
INTERVAL_MINUTES = 5
STAND_FOR = 100
ROWS, WIDTH, HEIGHT, MARGIN = 16, 720, 360, 48

Depths = list[tuple[int, int]]


def play() -> Depths:
    """Depth of original and copies at each minute."""
    with Simulation(log_file_pages=1024) as simulation:
        qmgr = simulation.start()
        qmgr.alter_qmgr(expiry_interval_s=INTERVAL_MINUTES * 60)
        qmgr.define_queue("STRMQ000", max_depth=999_999, cap_expiry=CAP_MINUTES * 600)
        qmgr.define_queue("LQ1003", max_depth=999_999, stream_queue="STRMQ000")
        depths: Depths = [(0, 0)]
        with qmgr.queue("LQ1003") as original, qmgr.queue("STRMQ000") as copies:
            for _ in range(MINUTES):
                for _ in range(MESSAGES_A_MINUTE // 6):
                    for _ in range(6):
                        original.put(b"contingency")
                    simulation.pass_time(60 * 6 // MESSAGES_A_MINUTE)
                depths.append((original.depth, copies.depth))
    return depths


def text_plot(depths: Depths) -> str:
    """For a terminal: o the original, # the copies."""
    highest = max(max(pair) for pair in depths)
    grid = [[" "] * len(depths) for _ in range(ROWS + 1)]
    for minute, (original, copies) in enumerate(depths):
        grid[ROWS - original * ROWS // highest][minute] = "o"
        grid[ROWS - copies * ROWS // highest][minute] = "#"
    lines = []
    for row, cells in enumerate(grid):
        label = f"{(ROWS - row) * highest * STAND_FOR // ROWS:>9,}" if row % 4 == 0 else " " * 9
        lines.append(f"{label} |{''.join(cells).rstrip()}")
    lines.append(f"{'':9} +{'-' * len(depths)} {MINUTES} minutes")
    return "\n".join(lines)


def svg_plot(depths: Depths) -> str:
    """For a browser."""
    highest = max(max(pair) for pair in depths)

    def line(which: int, colour: str) -> str:
        points = " ".join(
            f"{MARGIN + minute * (WIDTH - 2 * MARGIN) / MINUTES:.1f},"
            f"{HEIGHT - MARGIN - pair[which] * (HEIGHT - 2 * MARGIN) / highest:.1f}"
            for minute, pair in enumerate(depths)
        )
        return f'<polyline fill="none" stroke="{colour}" stroke-width="2" points="{points}"/>'

    bottom, right = HEIGHT - MARGIN, WIDTH - MARGIN
    axes = f'<path d="M{MARGIN} {MARGIN}V{bottom}H{right}" fill="none" stroke="#888"/>'
    texts = (
        (MARGIN, MARGIN - 12, f"depth, up to {highest * STAND_FOR:,}", "#333"),
        (right - 90, bottom + 24, f"{MINUTES} minutes", "#333"),
        (right - 110, MARGIN + 16, "LQ1003", "#1f6fb4"),
        (right - 110, bottom - 60, "STRMQ000", "#c8511b"),
    )
    labels = "".join(
        f'<text x="{x}" y="{y}" fill="{colour}" font-family="sans-serif">{text}</text>'
        for x, y, text, colour in texts
    )
    drawn = axes + line(0, "#1f6fb4") + line(1, "#c8511b") + labels
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}">{drawn}</svg>\n'
    )


def main(path: Path) -> None:
    depths = play()
    print(text_plot(depths))
    path.write_text(svg_plot(depths), encoding="utf-8")
    print(f"written: {path.name}")
    copies = [pair[1] for pair in depths]
    falls = [at for at in range(1, len(copies)) if copies[at] < copies[at - 1]]
    teeth = {copies[at - 1] - copies[at] + MESSAGES_A_MINUTE for at in falls[1:]}
    print(f"the task removed messages after {falls[0]} minutes, then every {falls[1] - falls[0]}")
    print(f"five minutes' worth each time: {teeth == {INTERVAL_MINUTES * MESSAGES_A_MINUTE}}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "expiry_sawtooth.svg"))
