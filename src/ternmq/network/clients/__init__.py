"""Clients of MQ's protocol: their conversations and calls."""
