"""The declarative pipeline, and the tables that it keeps."""
