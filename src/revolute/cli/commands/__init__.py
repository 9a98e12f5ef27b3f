"""The commands of `revolute`, a file each, and code that they share. `revolute.cli` has names and options."""
