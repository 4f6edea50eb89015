"""DISPLAY of status: queues, connections, channels, the queue manager."""
