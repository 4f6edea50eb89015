"""SMF records from the counters of a queue manager."""
