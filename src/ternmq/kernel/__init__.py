"""Queues and the rules of the verbs."""
