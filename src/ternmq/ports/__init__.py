"""The seams to the world: disk, clock, entropy. The core sees only the classes of `disk`, `clock`
and `entropy`; the `os_*` files are the real ones, a simulator brings its own.
"""
