"""AMQ messages in error logs, fault reports, syslog."""
