"""Simulation and doubles: queue managers on disks that forget, with clocks and networks that a test
turns.

Users test their applications with it (`Simulation`, `crash_everywhere`), and this project proves
its promises with it. docs/applications/testing-with-simulation.md is the page.
"""

from ternmq.testing.chance import Chance
from ternmq.testing.crash_walk import check, places, verify, wrecks
from ternmq.testing.disk_faults import Failing, Short, Sometimes, together
from ternmq.testing.held_calls import HeldCalls
from ternmq.testing.history import History, Report
from ternmq.testing.machine import Machine
from ternmq.testing.model import Disagreement
from ternmq.testing.proxy import (
    CUT,
    RESET,
    STALL,
    TO_CLIENT,
    TO_SERVER,
    Fault,
    Proxy,
    record_length,
)
from ternmq.testing.sim_clock import SimClock, SimEntropy
from ternmq.testing.sim_disk import Crash, Image, SimDisk
from ternmq.testing.sim_network import LinkClosed, SimLink, SimNetwork
from ternmq.testing.simulation import KEEPS, LOSES, SOME, Simulation, crash_everywhere
from ternmq.testing.workload import Workload
from ternmq.testing.world import World
from ternmq.testing.wreck import Wreck, crashes

__all__ = [
    "CUT",
    "KEEPS",
    "LOSES",
    "RESET",
    "SOME",
    "STALL",
    "TO_CLIENT",
    "TO_SERVER",
    "Chance",
    "Crash",
    "Disagreement",
    "Failing",
    "Fault",
    "HeldCalls",
    "History",
    "Image",
    "LinkClosed",
    "Machine",
    "Proxy",
    "Report",
    "Short",
    "SimClock",
    "SimDisk",
    "SimEntropy",
    "SimLink",
    "SimNetwork",
    "Simulation",
    "Sometimes",
    "Workload",
    "World",
    "Wreck",
    "check",
    "crash_everywhere",
    "crashes",
    "places",
    "record_length",
    "together",
    "verify",
    "wrecks",
]
