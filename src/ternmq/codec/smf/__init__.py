"""SMF records 115 and 116: framing, layout, reading and writing."""
