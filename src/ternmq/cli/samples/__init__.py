"""IBM's sample programs under their names."""
