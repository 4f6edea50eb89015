"""Queue storage: messages in memory, immutable segment files, and the journal that says what lives.

Nothing here knows the log or a unit of work; `txn` joins them. Formats are specified at the head of
`image`, `segment_format` and `state_journal`.
"""
