"""Statistics and accounting as PCF messages."""
