"""The data folder: making queue managers, installations, status."""
