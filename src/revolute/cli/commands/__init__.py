"""The commands of `revolute`, a file each, and code that they share. `revolute.cli.app` has names and options."""
