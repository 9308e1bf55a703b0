"""With what: the tools an agent may use, and the sandbox."""
