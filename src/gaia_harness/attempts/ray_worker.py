"""The worker of a Ray cluster: an actor, which Ray starts on a machine of its choice."""

from gaia_harness.attempts.worker import Worker


class RayWorker(Worker):
    """A worker that knows its node. Ray makes it an actor where it is used: this module needs no Ray to be read."""

    def __init__(self) -> None:
        super().__init__()
        self.take_over_logs()

    def node(self) -> str:
        """The id of its node."""
        import ray

        return str(ray.get_runtime_context().get_node_id())
