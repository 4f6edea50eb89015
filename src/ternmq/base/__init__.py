"""What every other package speaks: constants, reasons, errors, limits, names, ids."""
