"""By IBM MQ's client protocol over TCP."""
