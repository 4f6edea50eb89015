"""Message channels on the network: calls in and out, sockets, and the driver of each agent."""
