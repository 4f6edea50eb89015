"""TernMQ: a message queue manager with the MQI, in typed Python."""

__version__ = "0.1.0.dev0"
