"""Signing: keys, the one signing path, the run log and its checkpoints, intent and ledger."""
