"""docs/agents.md shows the agents that can be named as they are."""

from handbook import DOCS

from gaia_harness.box.agents import AgentFile, presets

PAGE = (DOCS / "agents.md").read_text("utf-8")


def test_the_table_of_agents_is_that_of_the_program():
    for name, preset in presets().items():
        models = ", ".join(f"`{provider}/…`" for provider in preset.providers)
        version = preset.tried.rpartition(" ")[2]
        (row,) = [line for line in PAGE.splitlines() if line.startswith(f"| `{name}` |")]
        assert row.endswith(f"| {models} | `{preset.install}` | {version} |")


def test_every_field_of_agent_toml_is_explained():
    assert [name for name in AgentFile.__struct_fields__ if f"\n| `{name}` |" not in PAGE] == []
