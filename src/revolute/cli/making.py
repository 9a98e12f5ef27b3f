"""Commands that write robots and code, keep the cache, and show what the library does."""

from pathlib import Path
from typing import Annotated

import typer

from revolute.cli.commands import completion
from revolute.cli.commands.robots import named_robot, robot_file
from revolute.cli.commands.targets import check_apart
from revolute.cli.root import Base, Json, RobotName, app, new_console

__all__ = ["cache", "convert", "demo", "export", "lock"]


@app.command()
def convert(
    robot: RobotName,
    output: Annotated[Path, typer.Argument(metavar="FILE", help="To write: .urdf, .xml (MJCF) or .toml.")],
    base: Base = "fixed",
) -> None:
    """Write a robot in another format: URDF, MJCF, or TOML, which holds all of it.

    \b
    revolute convert arm.urdf arm.toml
    revolute convert ur5 ur5.xml

    What a format does not have is left out, and a warning names it. Links that are fixed to each other become one body.
    """
    from revolute.cli.commands import convert as command

    check_apart([robot_file(robot)], [output])
    command.convert(named_robot(robot, base), output, new_console())


@app.command()
def lock(
    robot: RobotName,
    joints: Annotated[
        list[str],
        typer.Argument(
            metavar="JOINT=POSITION...",
            help="Joints and where they stand [rad, m]; without a position at zero or the nearest limit.",
            autocompletion=completion.joint_numbers,
        ),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="File to write: .urdf, .xml (MJCF) or .toml.")
    ],
    base: Base = "fixed",
) -> None:
    """Write a robot with some joints locked.

    \b
    revolute lock panda panda_joint7=0.785 panda_joint5 -o arm.urdf

    Links beyond a locked joint become part of the link that carries it; their frames stay, by name.
    """
    from revolute.cli.commands import convert as command

    check_apart([robot_file(robot)], [output])
    command.lock(named_robot(robot, base), joints, output, new_console())


@app.command()
def export(
    robot: RobotName,
    functions: Annotated[
        list[str],
        typer.Argument(
            metavar="FUNCTION...",
            help="Methods that compute, by name.",
            autocompletion=completion.known("functions"),
        ),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder, or a file that ends in .c; the others stand beside it.")
    ] = Path(),
    frame: Annotated[
        str | None,
        typer.Option(metavar="LINK", help="Link of Jacobians and velocities.", autocompletion=completion.links),
    ] = None,
    language: Annotated[
        str,
        typer.Option(
            help="c; or c++ for a header with checked sizes too.", autocompletion=completion.known("languages")
        ),
    ] = "c",
    dtype: Annotated[
        str, typer.Option(help="float64 or float32.", autocompletion=completion.known("dtypes"))
    ] = "float64",
    layout: Annotated[
        str,
        typer.Option(
            help="Of matrices: row by row, or column by column.", autocompletion=completion.known("layouts")
        ),
    ] = "row",
    sincos: Annotated[
        str,
        typer.Option(help="Sines and cosines: of math.h, or own code.", autocompletion=completion.known("sincos")),
    ] = "math.h",
    batch: Annotated[bool, typer.Option("--batch", help="Write a loop over states too.")] = False,
    casadi: Annotated[bool, typer.Option("--casadi", help="Write functions for casadi.external too.")] = False,
    target: Annotated[
        str | None,
        typer.Option(
            metavar="PROCESSOR",
            help="Write an object file too: cortex-m4, aarch64, wasm32, ...",
            autocompletion=completion.known("processors"),
        ),
    ] = None,
    base: Base = "fixed",
    as_json: Json = False,
) -> None:
    """Write functions as C99 for any compiler, or as an object file for another processor.

    \b
    revolute export ur5 inverse_dynamics mass_matrix -o generated
    revolute export arm.urdf forward_dynamics -o arm.c --dtype float32 --target cortex-m4
    revolute export panda jacobian --frame panda_link8 -o site --target wasm32

    The code has no loops, no memory of its own and needs nothing but math.h. A program NAME_test.c compares it with
    results of today. For wasm32 there is a module that a browser runs as it is. The code is yours.
    """
    from revolute.cli.commands import export as command

    options = {"dtype": dtype, "layout": layout, "sincos": sincos, "batch": batch, "casadi": casadi, "target": target}
    command.run(named_robot(robot, base), functions, frame, output, language, options, as_json, new_console())


@app.command()
def cache(
    clear: Annotated[bool, typer.Option("--clear", help="Remove all of it; code is compiled again on use.")] = False
) -> None:
    """Show the folder and the size of the cache of machine code."""
    from revolute.cli.commands import cache as command

    command.run(clear, new_console())


@app.command()
def demo(
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for the results.")] = Path("demo-output")
) -> None:
    """Compute the joint torques of a UR5 that puts a box on a shelf, 10 s at 1 kHz."""
    from revolute.cli.commands import demo as command

    command.run(output, new_console())
