"""Runs the benchmarks and prints a table; `make bench` calls it. docs/operations/benchmarks.md
explains the figures.

Every benchmark runs in a fresh process for each build, so that none inherits another's heap: the
compiled build as it is installed, and the plain files of `src`. `--here` runs in this process
instead, for a profiler.

    python benchmarks/run.py [NAME ...] [--quick] [--seconds S] [--json FILE] [--no-plain-too]
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.figures import Figure, Settings, figure_from_json  # noqa: E402
from benchmarks.table import Block, text_of  # noqa: E402

NAMES = {
    "pairs": "2 KB non-persistent put + get, one thread",
    "forced": "2 KB persistent puts, each caller waits for its own force",
    "log_rate": "1 MB persistent messages",
    "depth": "put + get on a deep queue",
    "restart": "restart after a kill",
    "expiry": "the expiry scanner",
    "groups": "groups in logical order",
    "memory": "resident memory of a message",
    "backlog": "ten million messages on a queue that nobody reads",
    "simulation": "simulated histories",
    "commands": "a queue manager with many queues",
    "startup": "start-up",
    "streams": "streams read by number, in process",
    "stream_socket": "streams read by another process",
    "smf": "SMF records read, and turned into CSV",
    "spark_smf": "SMF dumps into Parquet by Spark",
    "spark_mq": "a queue into Parquet by Spark, each message once",
    "spark_sink": "Parquet onto a queue by Spark, each row once",
    "served": "a queue manager in a process of its own",
    "selectors": "gets with a selector, and messages with properties",
    "callbacks": "messages by callbacks beside a loop of gets",
    "streaming": "puts to a queue with a streaming queue",
    "network": "clients over TCP, beside other brokers",
    "rivals": "durable puts: each broker by its Python client and by its own fastest",
    "channels": "a message channel between two queue managers, beside the disk and RabbitMQ",
    "channel_charts": "message channels: how many, TLS, compression, memory",
    "durable_start": "a start with many durable subscriptions",
    "pubsub": "publish/subscribe: fan-out, a large topic tree, start",
    "pubsub_network": "publications over TCP to ten subscribers, beside other brokers",
    "telemetry": "statistics and accounting, on and off",
}
RESULTS = ROOT / "benchmarks" / "results"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Benchmarks of TernMQ beside their baselines.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(NAMES))
    parser.add_argument("--quick", action="store_true", help="smaller and fewer: a minute or two")
    parser.add_argument("--seconds", type=float, help="of one round of one contender")
    parser.add_argument("--rounds", type=int, help="in which contenders take turns")
    parser.add_argument("--json", type=Path, default=RESULTS / "latest.json", metavar="FILE")
    parser.add_argument("--folder", type=Path, help="where to make queue managers (a real disk)")
    parser.add_argument(
        "--plain-too",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="the plain files as a second column (default)",
    )
    parser.add_argument("--here", action="store_true", help="in this process, no second column")
    parser.add_argument("--worker", metavar="FOLDER", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    unknown = [name for name in chosen.names if name not in NAMES]
    if unknown:
        parser.error(f"no benchmark {', '.join(unknown)}; there are {', '.join(NAMES)}")
    chosen.names = chosen.names or list(NAMES)
    chosen.seconds = chosen.seconds or (0.3 if chosen.quick else 1.0)
    chosen.rounds = chosen.rounds or (3 if chosen.quick else 5)
    return chosen


def measure(name: str, chosen: argparse.Namespace, folder: Path) -> list[Figure]:
    """Run one benchmark in this process."""
    module = importlib.import_module(f"benchmarks.bench_{name}")
    settings = Settings(folder, chosen.seconds, chosen.rounds, chosen.quick)
    figures: list[Figure] = module.run(settings)
    return figures


def work(chosen: argparse.Namespace) -> None:
    """The worker process: one benchmark, told as JSON."""
    import ternmq

    figures = measure(chosen.names[0], chosen, Path(chosen.worker))
    build = ternmq.build_info()
    values = {"build": str(build), "compiled": build.compiled}
    sys.stdout.write(json.dumps({**values, "figures": [one.as_json() for one in figures]}))


def in_worker(name: str, chosen: argparse.Namespace, plain: bool) -> dict[str, Any]:
    """Run one benchmark in a process of its own."""
    environment = {key: value for key, value in os.environ.items() if key != "TERNMQ_PURE"}
    environment["PYTHONPATH"] = str(ROOT)
    if plain:
        environment["TERNMQ_PURE"] = "1"
        environment["PYTHONPATH"] = f"{ROOT / 'src'}{os.pathsep}{ROOT}"
    command = [sys.executable, __file__, name, "--seconds", str(chosen.seconds)]
    command += ["--rounds", str(chosen.rounds), *(["--quick"] if chosen.quick else [])]
    with tempfile.TemporaryDirectory(prefix="ternmq-bench-", dir=chosen.folder) as folder:
        command += ["--worker", folder]
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=False)
    if done.returncode:
        return {"build": "failed", "compiled": not plain, "figures": []}
    values: dict[str, Any] = json.loads(done.stdout)
    return values


def say(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def run_all(chosen: argparse.Namespace) -> tuple[dict[str, str], dict[str, tuple[str, Block]]]:
    """Every benchmark on every build: (what ran, figures)."""
    builds: dict[str, str] = {}
    blocks: dict[str, tuple[str, Block]] = {}
    for name in chosen.names:
        block: Block = {}
        for plain in (False, True) if chosen.plain_too else (False,):
            begin = time.monotonic()
            reported = in_worker(name, chosen, plain)
            key = "compiled" if reported["compiled"] else "plain"
            if key in block:  # without a compiler both are plain
                continue
            if reported["figures"]:
                builds[key] = reported["build"]
            block[key] = [figure_from_json(one) for one in reported["figures"]]
            how = "" if reported["figures"] else ", FAILED"
            say(f"{name}, {key}: {time.monotonic() - begin:.0f} s{how}")
        blocks[name] = (NAMES[name], block)
    return builds, blocks


def run_here(chosen: argparse.Namespace) -> tuple[dict[str, str], dict[str, tuple[str, Block]]]:
    """The same in this process, one build."""
    import ternmq

    build = ternmq.build_info()
    key = "compiled" if build.compiled else "plain"
    blocks: dict[str, tuple[str, Block]] = {}
    for name in chosen.names:
        with tempfile.TemporaryDirectory(prefix="ternmq-bench-", dir=chosen.folder) as folder:
            blocks[name] = (NAMES[name], {key: measure(name, chosen, Path(folder))})
    return {key: str(build)}, blocks


def machine() -> dict[str, str]:
    """What the figures depend on and does not name anybody's machine."""
    model = ""
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            model = line.partition(":")[2].strip()
            break
    return {
        "processors": f"{os.cpu_count()} x {model}",
        "system": f"{platform.system()} {platform.release().partition('-')[0]}",
        "python": platform.python_version(),
        "load": ", ".join(f"{load:.1f}" for load in os.getloadavg()),
    }


def main() -> None:
    chosen = arguments()
    if chosen.worker:
        work(chosen)
        return
    facts = machine()
    builds, blocks = run_here(chosen) if chosen.here else run_all(chosen)
    head = [f"{key:<10}  {value}" for key, value in {**facts, **builds}.items()]
    how = f"{chosen.rounds} rounds of {chosen.seconds} s"
    head.append(f"{'method':<10}  medians of {how}{', quick' if chosen.quick else ''}, in turns")
    sys.stdout.write("\n".join(head) + "\n" + text_of(blocks) + "\n")
    values = {
        "machine": facts,
        "builds": {key: value.rpartition(", ")[0] for key, value in builds.items()},
        "quick": chosen.quick,
        "seconds": chosen.seconds,
        "rounds": chosen.rounds,
        "benchmarks": {
            name: {build: [one.as_json() for one in figures] for build, figures in block.items()}
            for name, (_, block) in blocks.items()
        },
    }
    chosen.json.parent.mkdir(parents=True, exist_ok=True)
    chosen.json.write_text(json.dumps(values, indent=1) + "\n", encoding="utf-8")
    if any(not figures for _, block in blocks.values() for figures in block.values()):
        raise SystemExit("a benchmark failed, see above")


if __name__ == "__main__":
    main()
