"""By the local socket."""
