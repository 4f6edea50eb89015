"""Values that calls carry between API, protocols and engine: no I/O, no kernel."""
