"""DataFrames in this process: what small reports and searches use instead of Spark."""
