"""qm.ini and system parameters: read, checked, put to use."""
