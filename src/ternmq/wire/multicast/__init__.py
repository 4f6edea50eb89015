"""Multicast of publications over UDP: packets, and the machines of both ends, without I/O."""
