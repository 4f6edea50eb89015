"""Messages in Parquet: search, exchanges, anomalies, replay."""
