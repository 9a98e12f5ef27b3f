"""`python -m revolute`."""

from revolute.cli import app

app(prog_name="revolute")
