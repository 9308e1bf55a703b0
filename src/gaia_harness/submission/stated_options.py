"""A submitter's own system prompt and prices: disclosed, and checked against the steps."""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet

import msgspec

from gaia_harness.figures import counted
from gaia_harness.protocol import SYSTEM_SHA256, WEAKER_BOX
from gaia_harness.records.facts import RunFacts

HOSTS_SHOWN = 50


def describe_system_prompt(facts: RunFacts, found: AbstractSet[str]) -> str:
    """Whose standing instructions the agent had, with their hash; `found` are the hashes in the trajectories."""
    if facts.system_prompt_sha256 is not msgspec.UNSET:
        return f"custom, sha256 {facts.system_prompt_sha256}"
    whose = "built-in" if facts.origin is msgspec.UNSET else "of the agent, which is not ours"
    return ", ".join([whose, *(f"sha256 {sha256}" for sha256 in sorted(found))])


def system_prompt_faults(facts: RunFacts, found: AbstractSet[str], *, ours: bool) -> list[str]:
    """Standing instructions that are not those that the run names; `ours`: this very program says to have made it."""
    named = facts.system_prompt_sha256
    if facts.origin is not msgspec.UNSET:  # another program's agent has its own words, and each task may have others
        return []
    if named is msgspec.UNSET:
        if not ours:  # another version may have had other words
            return []
        named = SYSTEM_SHA256
        whose = "that of this version of the program, and the run names no other"
    else:
        whose = "the one that the run names"
    return [f"prompts/{sha256}: a system prompt that is not {whose}" for sha256 in sorted(found - {named})]


def notes(facts: RunFacts) -> list[str]:
    """What a verifier should know of a run with options like these."""
    said = [] if facts.origin is msgspec.UNSET else [f"{facts.origin.describe()}: the agent is not ours"]
    if facts.system_prompt_sha256 is not msgspec.UNSET:
        said.append(f"the system prompt is the submitter's, not ours: prompts/{facts.system_prompt_sha256}")
    if facts.isolation.get("agent") == WEAKER_BOX:
        said.append(f"the agent ran in a weaker {WEAKER_BOX}")
    prices = describe_prices(facts)
    return said + ([prices] if prices else [])


def describe_hosts(hosts: Mapping[str, int]) -> str:
    """The hosts that an agent in a box spoke to by itself, those with the most requests first."""
    ranked = sorted(hosts.items(), key=lambda each: (-each[1], each[0]))
    said = [f"{host} ({counted(count, 'request')})" for host, count in ranked[:HOSTS_SHOWN]]
    if len(ranked) > HOSTS_SHOWN:
        said.append(f"and {len(ranked) - HOSTS_SHOWN} more hosts, which metadata.json has")
    return ", ".join(said) or "to no host but the model's"


def describe_prices(facts: RunFacts) -> str:
    """By whose prices costs are counted, where these are not ours."""
    if facts.price_in is msgspec.UNSET or facts.price_out is msgspec.UNSET:
        return ""
    return (
        f"costs are by prices that the submitter states: ${facts.price_in:g} per million tokens in, "
        f"${facts.price_out:g} out"
    )
