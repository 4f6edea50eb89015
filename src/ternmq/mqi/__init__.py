"""The verbs: checks of their arguments, and the steps that carry out calls."""
