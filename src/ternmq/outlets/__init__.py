"""Where figures go: SMF data sets and log streams, PCF queues, metrics; the command server."""
