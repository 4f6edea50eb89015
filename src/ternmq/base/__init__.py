"""Words of every other package: constants, reasons, errors, limits, names, ids."""
