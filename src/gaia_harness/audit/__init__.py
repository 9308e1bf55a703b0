"""Was it earned: ten checks on what a run recorded, and one report."""
