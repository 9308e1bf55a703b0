"""The attack lab: invented runs, attacking and honest, by which the audit is measured."""
