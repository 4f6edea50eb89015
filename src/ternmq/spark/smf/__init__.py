"""The Spark source `mqsmf`: SMF dumps as DataFrames."""
