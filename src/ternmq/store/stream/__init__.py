"""Numbered streams of queues: blocks, files, cursors, retention."""
