"""Workloads of `ternmq perf`: a queue manager in a process, applications in others, what they saw.

Nothing here needs Spark: a run leaves SMF records and what the applications counted, and
`spark.perf_tables` makes rates and costs of them.
"""
