"""Runs from elsewhere and runs to elsewhere: importers, exporters, and the neutral form between them."""
