"""What is lost without a rule of the audit, or with a mechanism switched off."""
