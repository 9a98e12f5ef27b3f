"""Commands about robots: their data, findings, views, equations and operation counts.

Commands import their modules when they run, since help and completion do not need these modules.
"""

from pathlib import Path
from typing import Annotated, Literal

import typer

from revolute.cli.commands import completion
from revolute.cli.commands.options import argument, choice, flag, numbers, option, output_file
from revolute.cli.commands.robots import named_robot, robot_file
from revolute.cli.commands.targets import check_apart
from revolute.cli.root import Base, Json, RobotName, app, new_console


@app.command()
def info(robot: RobotName, base: Base = "fixed", as_json: Json = False) -> None:
    """Show a robot: its tree, masses, limits, and the operation counts of its equations."""
    from revolute.cli.commands import info as command

    command.run(named_robot(robot, base), as_json, new_console(quiet=as_json))


@app.command()
def robots() -> None:
    """List the robots that can be loaded by name, and show how to install more."""
    from revolute.cli.commands import named_robots as command

    command.run(new_console())


@app.command()
def check(
    files: Annotated[list[str], argument(
        "FILE...", "URDF, MJCF, SDF or TOML files, - for XML on standard input, or robots of the library.",
        completion.robots
    )],
    base: Base = "fixed",
    strict: Annotated[bool, flag("--strict", "Also fail on suspicious findings.")] = False,
    meshes: Annotated[bool, flag("--meshes", "Open the meshes of URDF files (needs trimesh).")] = False,
    as_json: Json = False,
) -> None:
    """List physically impossible or suspicious data of robots.

    Links: masses, principal moments (triangle inequality), densities between balsa and
    tungsten, centres of mass and inertias against the link's boxes, cylinders, spheres and
    meshes. Frames: left-handed axes. Joints: limits, and the inertia that they move. Unknown
    names in URDF and SDF files. Each finding states its figures and the likely cause, such as
    millimetres, grams, or an inertia about the wrong point.

    The exit status is 1 if a file cannot be loaded or has impossible findings, and with
    --strict also if it has suspicious ones.
    """
    from revolute.cli.commands import check as command

    if not command.run(files, base, strict, meshes, as_json, new_console(quiet=as_json)):
        raise typer.Exit(1)


@app.command()
def view(
    robot: RobotName,
    motion: Annotated[
        Path | None, argument("MOTION", "CSV or Parquet file with t and positions, as for torque.")
    ] = None,
    q: Annotated[str | None, numbers("Positions [rad, m], if there is no MOTION.")] = None,
    page: Annotated[
        Path | None, option("Write a page that needs no network, and end.", "--html", metavar="FILE")
    ] = None,
    collisions: Annotated[bool, flag("--collisions", "Show the collision shapes.")] = False,
    host: Annotated[str, option("Address to listen on; by default only this machine can open the view.")] = "127.0.0.1",
    port: Annotated[int, option("Port to listen on; the next free one if it is taken.")] = 8080,
    base: Base = "fixed",
) -> None:
    """Show a robot in a browser: its meshes, sliders for the joints, torques of gravity, a motion.

    \b
    revolute view ur5.urdf
    revolute view ur5 motion.csv --html motion.html

    The command needs the extra view. A robot without shapes is drawn as capsules. A page of --html plays the
    motion; it has no sliders for joints.
    """
    from revolute.cli.commands import view as command

    check_apart([robot_file(robot), motion], [page])
    command.run(named_robot(robot, base), motion, q, page, collisions, host, port, new_console())


@app.command()
def equations(
    robot: RobotName,
    latex: Annotated[bool, flag("--latex", "Print LaTeX, the lines of an align* environment.")] = False,
    markdown: Annotated[bool, flag("--markdown", "Print a Markdown page with LaTeX in it.")] = False,
    output: Annotated[Path | None, output_file("Write a LaTeX document (.tex) or a Markdown page (.md).")] = None,
    budget: Annotated[
        float, option("Time limit for each quantity [s]; slower ones are not simplified.", metavar="SECONDS")
    ] = 20.0,
    show: Annotated[str, option(
        "Comma-separated list of M, C, g, christoffel, tau, kinetic, potential, lagrangian.", metavar="NAMES",
        offers=completion.in_list(completion.known("equations"))
    )] = "M,C,g",
    grouped: Annotated[bool, flag("--grouped", "Use constants Theta_1 ... for masses and inertias.")] = False,
    base: Base = "fixed",
) -> None:
    """Print the equations of motion, M(q) ddq + C(q, dq) dq + g(q) = tau.

    Positions are q1, q2 ... in the order of the joints, velocities dq1 ..., accelerations
    ddq1 ... Angles of parallel joints are added up; numbers have six digits. Equations of
    large robots, and equations that take too long, are printed with named common terms and
    a note.

    \b
    revolute equations planar:2
    revolute equations ur5 --show M,g -o ur5.tex
    """
    from revolute.cli.commands import equations as command

    check_apart([robot_file(robot)], [output])
    command.run(named_robot(robot, base), show, latex, markdown, grouped, budget, output, new_console())


@app.command()
def count(
    robot: RobotName,
    algorithm: Annotated[list[str] | None, choice(
        "algorithms", "A function of this library or a published formulation; may be given several times."
    )] = None,
    counting: Annotated[
        Literal["traced", "source"], option("traced: remaining operations for this robot; source: as books count."),
    ] = "traced",
    plot: Annotated[Path | None, option("Draw the counts in this .png, .svg or .pdf (needs the extra plot).")] = None,
    base: Base = "fixed",
    as_json: Json = False,
) -> None:
    """Count the operations of the robot's equations, by this library and by published algorithms.

    \b
    revolute count puma560
    revolute count ur5 --algorithm forward_dynamics --algorithm articulated_bodies
    revolute count dh_arm:6 --counting source --plot counts.png

    Counts are exact, without zeros, constants and common terms of this robot. Beside them
    are the counts that the sources print for arms of this size.
    """
    from revolute.cli.commands import count as command

    check_apart([robot_file(robot)], [plot])
    command.run(named_robot(robot, base), algorithm or (), counting, plot, as_json, new_console(quiet=as_json))


@app.command()
def compare(robot: RobotName, base: Base = "fixed", as_json: Json = False) -> None:
    """Compare the published algorithms of this library: agreement, operations, time of the compiled kernel."""
    from revolute.cli.commands import compare as command

    command.run(named_robot(robot, base), as_json, new_console())


@app.command()
def text(
    place: Annotated[
        list[str], argument("PLACE", "LP, BP, JIN, GOA or SHV, and a number, range, section, figure or name in it.")
    ],
    latex: Annotated[bool, flag("--latex", "Print formulas in LaTeX.")] = False,
    page: Annotated[bool, flag("--page", "Print the section of the page, with code that checks the formulas.")] = False,
) -> None:
    """Look up a place of the five texts: its formulas, known misprints, functions, tests and page.

    \b
    revolute text LP 9.45
    revolute text BP Alg. 5.7 --latex
    revolute text LP 9.44-9.46 --page
    """
    from revolute.symbolic.terminal import markdown_in_terminal
    from revolute.texts import find  # loads all published algorithms

    found = find(" ".join(place))
    if page and found.section:
        typer.echo(found.section if latex else markdown_in_terminal(found.section))
    else:
        typer.echo(found.show(latex))
