"""Making one attempt, in this process or on another machine: nothing here knows a gold answer or who does."""
