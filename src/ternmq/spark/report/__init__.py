"""Pages and reports from tables."""
