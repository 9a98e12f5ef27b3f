"""The commands of `revolute`, one per file, and shared code. `revolute.cli` defines names and options."""
