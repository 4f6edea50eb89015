"""IBM MQ's client protocol: segments, flows, negotiation. No I/O."""
