"""Queued publish/subscribe: commands in MQRFH and MQRFH2 messages on SYSTEM.BROKER queues."""
