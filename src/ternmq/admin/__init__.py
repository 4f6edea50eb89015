"""Commands of the administrator: their language, what they do, what they answer."""
