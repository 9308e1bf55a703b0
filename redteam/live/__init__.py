"""Attacks and honest controls that are played through the real harness: sandbox, tools, log and keys are real."""
