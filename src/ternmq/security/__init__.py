"""Identity and authority: who may do what to which object, and who is who."""
