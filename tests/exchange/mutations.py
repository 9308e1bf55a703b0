"""Small random changes to JSON values."""

import copy
from typing import Any

from hypothesis import strategies as st

VALUES = st.sampled_from([None, True, -1, 1e308, 2**70, "", "x", [], {}, [None], {"a": [1]}, [["x"]], "call_1"])


def change(data: st.DataObject, value: dict[str, Any] | list[Any]) -> None:
    """Takes away or replaces one thing, anywhere inside."""
    at: Any = value
    while isinstance(at, dict | list) and at:
        key = data.draw(st.sampled_from(sorted(at)) if isinstance(at, dict) else st.integers(0, len(at) - 1))
        if not isinstance(at[key], dict | list) or not at[key] or data.draw(st.integers(0, 3)) == 0:
            if data.draw(st.booleans()):
                del at[key]
            else:
                at[key] = copy.deepcopy(data.draw(VALUES))
            return
        at = at[key]
