"""The commands of `revolute`, one per file, and shared code. `revolute.cli` has names and options."""
