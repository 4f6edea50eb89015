"""What applications use: blocking and asyncio, in process."""
