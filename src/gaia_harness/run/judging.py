"""Where this machine keeps the judge's cache, and the key that signs it."""

import logging
from collections.abc import Mapping
from pathlib import Path

from gaia_harness.errors import GaiaError
from gaia_harness.evidence.redaction import Redactor, secrets_in
from gaia_harness.judge.cache import JudgeCache
from gaia_harness.signing.keys import keys_folder

log = logging.getLogger("gaia_harness")


def cache_folder(env: Mapping[str, str]) -> Path:
    """Where this machine keeps judgments."""
    if given := env.get("GAIA_CACHE_DIR"):
        return Path(given)
    import platformdirs

    return platformdirs.user_cache_path("gaia-harness")


def open_cache(env: Mapping[str, str]) -> JudgeCache | None:
    """The cache, signed by the machine's own key; without one that can be made, judging goes on uncached."""
    keys = keys_folder(env)
    try:
        signer = keys.cache_signer(env=env)
        redactor = Redactor(secrets_in(env))
        return JudgeCache(cache_folder(env), signer, retired=keys.retired_public_keys("cache"), redactor=redactor)
    except (GaiaError, OSError) as error:
        log.warning("judgments are not cached: %s", error)
        return None
