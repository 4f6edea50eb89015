"""PCF, the programmable command formats: a header and the parameter structures after it."""
