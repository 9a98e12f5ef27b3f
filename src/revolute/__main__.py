"""`python -m revolute`."""

from revolute.cli.app import app

app(prog_name="revolute")
