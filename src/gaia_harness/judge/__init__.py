"""Was it right: the official scorer."""
