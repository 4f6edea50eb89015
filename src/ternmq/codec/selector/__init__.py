"""Message selectors: the SQL of a selection string, compiled once, and asked of each message."""
