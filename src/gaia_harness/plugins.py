"""Models, tools and checks of other packages, found by their entry points.

A package offers one in its pyproject.toml, and is used only where somebody names it:

    [project.entry-points."gaia_harness.tools"]
    word_count = "acme_tools:WordCount"
"""

from importlib.metadata import EntryPoint, entry_points
from typing import Any, Literal

import msgspec

from gaia_harness.errors import UsageError

Kind = Literal["models", "tools", "checks"]

LONGEST_ERROR = 500
IN_PROCESS = "in the harness's own process"


class Plugin(msgspec.Struct, frozen=True, kw_only=True):
    """Something that an installed package offers, under a name."""

    kind: Kind
    name: str
    package: str
    version: str
    entry_point: EntryPoint

    def __str__(self) -> str:
        return f"{self.name} of {self.package} {self.version}"

    def provenance(self) -> str:
        """Where its code comes from, for the record of a run that uses it."""
        return f"{self.package} {self.version}, {IN_PROCESS}"

    def load(self) -> Any:
        """Import it. A package that cannot be imported is named in the error."""
        try:
            return self.entry_point.load()
        except (Exception, SystemExit) as error:
            raise UsageError(
                f"{self} ({self.entry_point.value}) cannot be loaded: {describe_error(error)}",
                hint=f"install a version of {self.package} that works, or leave it out",
            ) from error


def describe_error(error: BaseException) -> str:
    """The class and the words of somebody else's error, whatever it does when it is asked for them."""
    try:
        said = str(error)
    except Exception:
        said = "no text"
    return f"{type(error).__name__}: {said[:LONGEST_ERROR]}".encode("utf-8", "replace").decode()


def find_plugins(kind: Kind) -> dict[str, Plugin]:
    """What installed packages offer of a kind, by name. Nothing is imported."""
    found: dict[str, Plugin] = {}
    for entry_point in sorted(entry_points(group=f"gaia_harness.{kind}"), key=lambda point: (point.name, point.value)):
        package = entry_point.dist
        if package is None:
            continue
        plugin = Plugin(
            kind=kind,
            name=entry_point.name,
            package=package.name,
            version=package.version,
            entry_point=entry_point,
        )
        other = found.setdefault(plugin.name, plugin)
        if other.package != plugin.package:
            raise UsageError(
                f"two packages offer {kind} under the name {plugin.name}: {other.package} and {plugin.package}",
                hint="uninstall one of them",
            )
    return found


def find_plugin(kind: Kind, name: str) -> Plugin:
    """The one of this name; an error that lists those that there are."""
    found = find_plugins(kind)
    if name not in found:
        offered = ", ".join(found) or "none"
        raise UsageError(
            f"no installed package offers {name!r} in gaia_harness.{kind} (installed: {offered})",
            hint="pip install the package that does, into this environment",
        )
    return found[name]
