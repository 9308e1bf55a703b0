"""docs/scaling.md: its configurations are those that Ray itself reads."""

import importlib.util
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "scaling.md"

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("ray") is None, reason="ray is not installed: pip install 'gaia-harness[ray]'"
)


@pytest.fixture(scope="module")
def blocks():
    import yaml  # which comes with ray

    return [yaml.safe_load(text) for text in re.findall(r"```yaml\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)]


def test_file_for_ray_up_is_valid(blocks):
    pytest.importorskip("jsonschema")
    from ray.autoscaler._private.util import prepare_config, validate_config

    up, _ = blocks
    prepared = prepare_config(up)
    validate_config(prepared)
    assert prepared["max_workers"] == len(up["provider"]["worker_ips"])
    with pytest.raises(Exception, match="worker_start_ray_command"):  # unknown fields are seen
        validate_config(prepared | {"worker_start_ray_command": []})


def test_ray_s_autoscaler_reads_the_manifest_as_it_is_meant(blocks):
    from ray.autoscaler._private.kuberay import autoscaling_config

    _, manifest = blocks
    manifest["metadata"]["namespace"] = "default"
    groups = autoscaling_config._derive_autoscaling_config_from_ray_cr(manifest)["available_node_types"]
    assert {name: (g["min_workers"], g["max_workers"], g["resources"]) for name, g in groups.items()} == {
        "headgroup": (0, 0, {"CPU": 0}),
        "workers": (0, 32, {"CPU": 4, "memory": 16 << 30}),
    }
    assert manifest["spec"]["enableInTreeAutoscaling"] is True
