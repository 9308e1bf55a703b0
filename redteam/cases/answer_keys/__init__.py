"""Answer keys: the data set, or tables of its answers, downloaded or read; and honest work with other data."""
