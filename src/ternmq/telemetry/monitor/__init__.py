"""What the queue manager publishes about itself below $SYS/MQ/INFO/QMGR."""
