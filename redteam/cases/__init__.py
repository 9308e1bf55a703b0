"""The variants of the lab, by theme; each module of a theme has a tuple `VARIANTS`."""
