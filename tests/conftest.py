"""Property tests find the same cases every time and are not timed: the machines they run on are busy."""

from hypothesis import settings

settings.register_profile("steady", derandomize=True, deadline=None)
settings.load_profile("steady")
