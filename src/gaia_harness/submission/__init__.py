"""A package that a stranger can check: built from a run, and verified without believing anything that it says."""
