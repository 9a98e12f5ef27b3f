"""What the commands of `revolute` do, a file a command; `revolute.cli` says how they are called."""
