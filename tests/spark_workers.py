"""What Spark forks its Python workers from in tests: with what they need imported once, not anew in
each of some hundred processes.

Nothing here may start a thread before the fork, so neither Arrow nor NumPy is imported.
"""

import pyspark.worker  # noqa: F401
from pyspark.daemon import manager

import ternmq.remote.connect  # noqa: F401

if __name__ == "__main__":
    manager()
