"""The commands of `revolute`, a file each, and what they share. `revolute.cli.app` declares names and options."""
