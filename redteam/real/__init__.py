"""Real runs of other frameworks: imported from a folder of public sources, audited, and held to labels by hand."""
