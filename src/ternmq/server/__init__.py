"""The running queue manager: its process, its socket, its end; the data folder it lives in."""
