"""Interfaces of other libraries on our client, so that programs written for those run here."""
