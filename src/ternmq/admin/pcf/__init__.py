"""PCF commands: messages to commands, and answers to messages."""
