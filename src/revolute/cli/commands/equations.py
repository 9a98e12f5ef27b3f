"""`revolute equations`: a robot's equations of motion in readable form."""

from pathlib import Path

from rich.console import Console

from revolute.cli.commands import screen
from revolute.errors import InputError
from revolute.machine.robot import Robot
from revolute.symbolic.sheet import check_names
from revolute.symbolic.show import QUANTITIES
from revolute.whole_file import check_target


def run(
    robot: Robot, quantities: str, latex: bool, markdown: bool, grouped: bool, budget: float, output: Path | None,
    console: Console,
) -> None:
    """Print the equations, or write them to a file."""
    if latex and markdown:
        raise InputError("choose one of --latex and --markdown")
    if output is not None:
        check_target(output, "equations", [".tex"] if latex else [".md"] if markdown else [".tex", ".md"])
    names = tuple(name.strip() for name in quantities.split(",") if name.strip())
    check_names(names, QUANTITIES)
    equations = robot.equations(budget, grouped)
    if output is not None:
        equations.save(output, *names)
        screen.say(console, f"wrote {output}")
    elif latex or markdown:
        print(equations.latex(*names) if latex else equations.markdown(*names), end="\n" if latex else "")
    elif console.is_terminal:
        console.print(equations.table(*names))
    else:
        print(equations.text(*names))
