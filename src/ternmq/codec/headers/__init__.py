"""Headers ahead of message data: dead letters, transmission, rules and formatting, triggers."""
