"""Spark: queues and SMF dumps as DataFrames, lake, pipeline and reports. Needs `ternmq[spark]`.

Modules that need PySpark are imported by whoever uses them, so that this package costs nothing
where it is not installed.
"""
