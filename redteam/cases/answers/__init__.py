"""Answers: what is said to the scorer and the judge, from pleas and collisions to honest odd answers."""
