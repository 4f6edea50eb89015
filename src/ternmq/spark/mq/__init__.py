"""The Spark source and sink `mq`: queues as DataFrames."""
