"""Instrumentation events: what each contains, and putting them on their queues."""
