"""Answer keys: what the audit must leave alone."""
