"""The verbs: argument checks in front of the kernel."""
