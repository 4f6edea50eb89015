"""The verbs as steps: what each does under the engine's lock."""
