"""Copied answers: question and answer stand in what a tool returned; and honest reading that looks like it."""
