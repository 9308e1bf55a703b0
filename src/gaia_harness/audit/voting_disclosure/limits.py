"""The thresholds of AUD-6. They are judgement, not measurement: each stands here with its reason.

Crashes and outages are honest and common, so a threshold lies where an accident is no longer the likely story, and
what gates needs, beside the number, that somebody gained by it or that much was thrown away.
"""

MANY_RESTARTS = 12
"""Restarts of a whole run. It is a matter of hours, in which a rented machine is taken away a few times; to try tasks
again until they come out right, and lose no more than those, takes about one for each."""

LOST_SHARE = 0.3
"""Attempts thrown away, or tasks with one, to all tasks: with less, the score could hardly have been decided."""

SMALL_RUN = 10
"""Tasks. So small a run is a trial, stopped and begun again until everything is set up; nobody is ranked by it."""

FEW_CRASHES = 2
"""Restarts that say nothing, whatever they hit: to choose among tasks takes more."""

MOST_OF_A_TASK = 3
"""Restarts that one task meets by chance. One that is too large for its machine ends it each time."""

LEAST_TO_COMPARE = 4
"""Tasks of a kind, below which their share of right answers says nothing. To gate on lost votes takes twice as many."""

MOSTLY_RIGHT = 2 / 3
"""Share of right answers among tasks that were tried again, from which it looks as if they were until they were."""

NEARLY_ALL = 3 / 4
"""The same share, at the lower end of its interval, where there are no other tasks to compare with."""
