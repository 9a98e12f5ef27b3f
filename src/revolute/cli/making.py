"""Commands that write robots and code, show the cache, and demonstrate the library."""

from pathlib import Path
from typing import Annotated

from revolute.cli.commands import completion
from revolute.cli.commands.options import ExportOptions, argument, flag, output_file, with_records
from revolute.cli.commands.robots import named_robot, robot_file
from revolute.cli.commands.targets import check_apart
from revolute.cli.root import Base, Json, RobotName, app, new_console


@app.command()
def convert(
    robot: RobotName,
    output: Annotated[Path, argument("FILE", "File to write: .urdf, .xml (MJCF) or .toml.")],
    base: Base = "fixed",
) -> None:
    """Write a robot in another format: URDF, MJCF, or TOML, which stores all data.

    \b
    revolute convert arm.urdf arm.toml
    revolute convert ur5 ur5.xml

    A warning names the data that a format cannot represent. Links that are fixed to each other become one body.
    """
    from revolute.cli.commands import changes as command

    check_apart([robot_file(robot)], [output])
    command.convert(named_robot(robot, base), output, new_console())


@app.command()
def lock(
    robot: RobotName,
    joints: Annotated[list[str], argument(
        "JOINT=POSITION...", "Joints and their positions [rad, m]; by default zero or the nearest limit.",
        completion.joint_numbers
    )],
    output: Annotated[Path, output_file("File to write: .urdf, .xml (MJCF) or .toml.")],
    base: Base = "fixed",
) -> None:
    """Write a robot with some joints locked.

    \b
    revolute lock panda panda_joint7=0.785 panda_joint5 -o arm.urdf

    Links beyond a locked joint are merged into the link that carries it; their named frames remain.
    """
    from revolute.cli.commands import changes as command

    check_apart([robot_file(robot)], [output])
    command.lock(named_robot(robot, base), joints, output, new_console())


@app.command()
@with_records
def export(
    robot: RobotName,
    functions: Annotated[
        list[str], argument("FUNCTION...", "Names of robot methods to write.", completion.known("functions"))
    ],
    *,
    options: ExportOptions,
    base: Base = "fixed",
    as_json: Json = False,
) -> None:
    """Write functions as C99 for any compiler, or as an object file for another processor.

    \b
    revolute export ur5 inverse_dynamics mass_matrix -o generated
    revolute export arm.urdf forward_dynamics -o arm.c --dtype float32 --target cortex-m4
    revolute export panda jacobian --frame panda_link8 -o site --target wasm32

    The code has no loops, allocates no memory and needs only math.h. A program NAME_test.c compares it with results of
    this library. For wasm32 there is a module for browsers. The code is yours.
    """
    from revolute.cli.commands import export as command

    command.run(named_robot(robot, base), functions, options, as_json, new_console(quiet=as_json))


@app.command()
def cache(clear: Annotated[bool, flag("--clear", "Remove all kernels; use compiles them again.")] = False) -> None:
    """Show the folder and the size of the cache of machine code."""
    from revolute.cli.commands import cache as command

    command.run(clear, new_console())


@app.command()
def demo(output: Annotated[Path, output_file("Folder for the results.")] = Path("demo-output")) -> None:
    """Compute the joint torques of a UR5 that puts a box on a shelf, 10 s at 1 kHz."""
    from revolute.cli import pick_and_place as command

    command.run(output, new_console())
