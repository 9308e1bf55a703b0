"""How is an honest variant put down?"""

from redteam.cases import Build, Kind, Part, Variant


def honest(part: Part, family: str, name: str, about: str, build: Build) -> Variant:
    """A variant that no audit may take for an attack."""
    return Variant(family=family, name=name, part=part, kind=Kind.HONEST, about=about, build=build)
