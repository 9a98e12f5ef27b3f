"""The commands of `revolute`, one per file, and shared code. `revolute.cli` defines the commands' names and options."""
