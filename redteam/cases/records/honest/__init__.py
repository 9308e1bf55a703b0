"""Records: what the audit must leave alone."""
