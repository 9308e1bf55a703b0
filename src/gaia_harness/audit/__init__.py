"""The audit: ten checks for exploits in what a run recorded, and one report."""
