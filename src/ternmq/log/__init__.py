"""The write-ahead log: records in extent files, forced in batches, read again at restart.

`opened` makes and opens a log; `writer`, `files` and `space` are what a running queue manager uses;
`reader` serves restart. What records mean is the business of `txn`.
"""
