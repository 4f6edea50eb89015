"""`ternmq top`: what it asks the queue manager, what it makes of the answers, and its screen."""
