"""Run the bundled tasks with the bundled model, audit, submit and verify the run: no key, no network."""

import os
import sys
from pathlib import Path

import gaia_harness as gaia

folder = Path(sys.argv[1])
# Keys of this example alone. Leave this out, and yours are used: those of `gaia keys new`.
os.environ |= {"GAIA_KEYS_DIR": str(folder / "keys"), "GAIA_CACHE_DIR": str(folder / "cache")}
signers = folder / "allowed_signers"
signers.parent.mkdir(parents=True, exist_ok=True)
signers.write_text(gaia.create_key("ada@example.org") + "\n")

config = gaia.RunConfig(model="scripted/demo", dataset="demo", submit_intent=True)
summary = gaia.run_tasks(folder / "run", config)
print(f"{summary.passed} of {summary.total} right")

report = gaia.audit_run(folder / "run")
print("clean" if report.attestation.clean else f"not clean: {report.attestation.critical_failures}")

try:
    package = gaia.submit_run(folder / "run", folder / "package")
except gaia.SubmissionRefused as refusal:
    sys.exit("\n".join(refusal.reasons))
print(f"{package.files} files, signed by {package.metadata.submitter.identity}")

verdict = gaia.verify_package(folder / "package", allowed_signers=signers, identity="ada@example.org", dataset="demo")
print(verdict.verdict)
sys.exit(verdict.exit_code)
