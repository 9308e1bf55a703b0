"""Bundled fictional tasks, pages and scripts."""
