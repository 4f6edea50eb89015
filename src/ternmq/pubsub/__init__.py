"""Publish/subscribe: the topic tree, subscriptions, publications and what is retained."""
