"""Message channels without I/O: the agents at both ends, what they agree, what they ask for."""
