"""Spark: SMF dumps as DataFrames, and the sessions they are read in. Needs `ternmq[spark]`.

Modules that need PySpark are imported by whoever uses them, so that this package costs nothing
where it is not installed.
"""
