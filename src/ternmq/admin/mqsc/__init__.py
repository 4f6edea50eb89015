"""MQSC: text to commands, and answers to text."""
