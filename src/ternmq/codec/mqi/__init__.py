"""Structures of the MQI: descriptors and options, read and written by tables of fields."""
