"""The public API: connections, queues, units of work, streams."""
