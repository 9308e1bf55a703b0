"""gaia-harness: run GAIA, keep the evidence, and show that a score was earned."""

__version__ = "0.1.0"
