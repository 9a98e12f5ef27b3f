"""What the commands of `revolute` do, a file a command; `revolute.cli.app` says how they are called."""
