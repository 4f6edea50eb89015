"""Listeners, admission, TLS, limits: everything before a client is served."""
