"""Looking at a queue manager's files from outside: dump, verify, queue buffers, salvage."""
