"""Errors of functions that get messages, in Python's logging, when they happen: the thread that
registered the function may never ask what became of it."""

from __future__ import annotations


def log_failure(error: BaseException) -> None:
    """To the logger `ternmq`, which shows them on stderr unless the program says otherwise."""
    import logging  # only now: few programs fail

    text = "a function gets no more messages: it has failed, or its connection"
    logging.getLogger("ternmq").error(text, exc_info=error)
