"""Bytes to values and back: the structures of the MQI, headers in message data, character sets."""
