"""The tools an agent may use, and the sandbox."""
