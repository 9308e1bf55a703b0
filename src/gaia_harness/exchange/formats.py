"""The formats that can be imported, and their importers."""

from gaia_harness.exchange.importers import Importer

FORMATS = (
    "inspect", "harbor", "atif", "hal", "magentic-one", "owl", "tapeagents", "openinference", "smolagents", "jsonl",
)  # fmt: skip
"""Formats, in the order in which they are looked for."""


def importer_of(name: str) -> Importer:
    """The importer of a format, loaded when it is used."""
    # one after another, so that whoever reads the sources sees what is imported
    if name == "inspect":
        from gaia_harness.exchange.importers import inspect as inspect_module

        return inspect_module
    if name == "harbor":
        from gaia_harness.exchange.importers import harbor

        return harbor
    if name == "atif":
        from gaia_harness.exchange.importers import atif

        return atif
    if name == "hal":
        from gaia_harness.exchange.importers import hal

        return hal
    if name == "magentic-one":
        from gaia_harness.exchange.importers import magentic_one

        return magentic_one
    if name == "owl":
        from gaia_harness.exchange.importers import owl

        return owl
    if name == "tapeagents":
        from gaia_harness.exchange.importers import tapeagents

        return tapeagents
    if name == "openinference":
        from gaia_harness.exchange.importers import openinference

        return openinference
    if name == "smolagents":
        from gaia_harness.exchange.importers import smolagents

        return smolagents
    from gaia_harness.exchange.importers import jsonl

    return jsonl
