"""Multicast on the side of a client: sockets of a group, what they receive and send."""
