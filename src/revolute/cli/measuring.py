"""Commands that identify robots: motions that excite, parameters from logs, loads."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from revolute.cli.commands import completion
from revolute.cli.commands.log_options import LogOptions
from revolute.cli.commands.robots import named_robot, robot_file
from revolute.cli.commands.targets import check_apart
from revolute.cli.reading_logs import reads_logs
from revolute.cli.root import Base, Json, RobotName, app, new_console

__all__ = ["excite", "identify", "payload"]


@app.command()
@reads_logs
def identify(
    robot: RobotName,
    logs: Annotated[
        list[str],
        typer.Argument(
            metavar="LOG...",
            help="CSV or Parquet files; or several files of one log: q=positions.csv,tau=currents.csv.",
        ),
    ],
    validation: Annotated[
        list[str] | None,
        typer.Option("--validate", metavar="LOG", help="A log that the fit does not see; repeatable."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write the robot with its new parameters: .urdf, .xml (MJCF) or .toml."),
    ] = None,
    report: Annotated[
        Path | None, typer.Option(help="Write a page with all results: .html, which needs no network.")
    ] = None,
    estimator: Annotated[
        str,
        typer.Option(
            help="weighted: joints by their noise. ordinary: all alike. huber: outliers count less. instrumental, "
            "direct_inverse, output_error: by simulations of the closed loop; they need --controller, --reference and "
            "both gains.",
            autocompletion=completion.known("estimators"),
        ),
    ] = "weighted",
    physical: Annotated[
        bool, typer.Option(help="Links must be bodies that can exist (needs the extra identify).")
    ] = True,
    offsets: Annotated[bool, typer.Option(help="Each joint has a constant force, as of a biased sensor.")] = True,
    asymmetric: Annotated[bool, typer.Option("--asymmetric", help="Coulomb friction differs by direction.")] = False,
    stribeck: Annotated[bool, typer.Option("--stribeck", help="Stribeck friction; its speeds are searched.")] = False,
    only: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="Fit these parameters, links or joints, with commas; the others are known.",
            autocompletion=completion.in_list(completion.links_and_joints),
        ),
    ] = None,
    controller: Annotated[
        str | None,
        typer.Option(
            help="Of the log: pd, pd_with_gravity, feedforward_pd, computed_torque or passivity_based, with the model "
            "of ROBOT.",
            autocompletion=completion.known("controllers"),
        ),
    ] = None,
    reference: Annotated[
        Path | None,
        typer.Option(help="What the controller followed: a table with columns t and q.JOINT, in the times of the log."),
    ] = None,
    position_gains: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBERS",
            help="Of the joints [N m/rad]; [1/s^2] of computed_torque.",
            autocompletion=completion.joint_numbers,
        ),
    ] = None,
    velocity_gains: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBERS",
            help="Of the joints [N m s/rad]; [1/s] of computed_torque.",
            autocompletion=completion.joint_numbers,
        ),
    ] = None,
    control_step: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="Of the controller; by default that of the log, or 1 ms.")
    ] = None,
    momentum: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS", help="Rows of a floating base are changes of momentum over such windows (--base free)."
        ),
    ] = None,
    in_flight: Annotated[
        bool, typer.Option("--in-flight", help="Nothing touches the floating base: its rows count, too.")
    ] = False,
    *,
    reading: LogOptions,
    base: Base = "fixed",
    as_json: Json = False,
) -> None:
    """Find a robot's masses, inertias and friction from logs of its motion and torques.

    \b
    revolute identify ur10.urdf log.csv --validate other.csv -o model.urdf --report report.html
    revolute identify tx40.urdf q=positions.csv,tau=currents.csv --columns tx40.toml
    revolute identify arm.urdf log.csv --degrees --gains 11.1,10.8,9.6 --joints j1,j2,j3
    revolute identify arm.urdf log.csv --estimator instrumental --controller pd_with_gravity \\
        --reference moves.csv --position-gains 600,300,100 --velocity-gains 60,30,10
    revolute identify legs.urdf steps.csv --base free --columns wrench.foot=foot_{axis}

    The log's first row names its columns, and most spellings are understood: t or time; q1,
    q.JOINT, JOINT or JOINT_position; qd1 or JOINT_velocity; tau1, JOINT_torque or JOINT_effort.
    Numbers count from 0 if one of them is 0, else from 1; what was read as which joint is printed.
    Positions are filtered and differentiated without phase, forces pass the same filter.

    A TOML file of --columns may have:

    \b
    units = "deg"                       # or {q = "deg", qd = "deg/s", tau = "A", t = "ms"}
    rate = 5000                         # rows a second; cutoff = 20; times = [1, 30]; joints = ["j1"]
    columns = {q = "motor_{n}", tau = ["i1", "i2"]}
    [motor_side]                        # q_motor = ratios (q - offset); tau = torque tau_motor
    ratios = [[45, 0], [32, 32]]        # numbers or a matrix; offset; gains; torque
    [[coupled_drives]]                  # a motor that turns several joints
    name = "motor6"
    direction = [0, 0, 0, 0, 1, 1]

    The verdict is that on the first log of --validate; without one, on the fit's own.
    """
    from revolute.cli.commands import identify as command
    from revolute.cli.commands.closed_loops import ClosedLoopOptions
    from revolute.cli.commands.logs import files_of

    inputs = [path for log in (*logs, *(validation or ())) for path in files_of(log)]
    check_apart([robot_file(robot), *inputs, *reading.columns, *([reference] if reference else [])], [output, report])
    options = replace(reading, in_flight=in_flight)
    loop = ClosedLoopOptions(controller, reference, position_gains, velocity_gains, control_step)
    fitting = command.FitOptions(estimator, physical, offsets, asymmetric, stribeck, only, momentum, loop)
    outputs = command.Outputs(output, report, as_json)
    command.run(named_robot(robot, base), logs, validation or (), options, fitting, outputs, new_console())


@app.command()
@reads_logs
def payload(
    robot: RobotName,
    log: Annotated[str, typer.Argument(metavar="LOG", help="With the load: a file as for identify.")],
    link: Annotated[
        str,
        typer.Option(
            metavar="LINK", help="That carries the load, such as tool0.", autocompletion=completion.links
        ),
    ],
    without: Annotated[
        str | None, typer.Option(metavar="LOG", help="The same motion without the load: errors of the model cancel.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the robot with its load: .urdf, .xml (MJCF) or .toml.")
    ] = None,
    offsets: Annotated[bool, typer.Option(help="The log has its own constant force of each joint.")] = False,
    *,
    reading: LogOptions,
    base: Base = "fixed",
    as_json: Json = False,
) -> None:
    """Find mass, centre and inertia of a tool or load, with error bars, from a short log.

    \b
    revolute payload identified.toml with_tool.csv --link tool0
    revolute payload ur10.urdf with.csv --link tool0 --without empty.csv -o loaded.urdf

    ROBOT is the robot without the load, best as identify wrote it, with its friction. Options
    of logs are those of identify. The frame is that of the link.
    """
    from revolute.cli.commands import payload as command
    from revolute.cli.commands.logs import files_of

    inputs = [path for text in (log, without) if text for path in files_of(text)]
    check_apart([robot_file(robot), *inputs, *reading.columns], [output])
    command.run(named_robot(robot, base), log, link, without, reading, offsets, output, as_json, new_console())


@app.command()
def excite(
    robot: RobotName,
    duration: Annotated[float, typer.Option(help="Seconds of a period.")] = 10.0,
    harmonics: Annotated[int, typer.Option(help="Number of frequencies: 1/duration, 2/duration ...")] = 5,
    criterion: Annotated[
        str,
        typer.Option(
            help="d: log determinant of the information; condition: the condition number.",
            autocompletion=completion.known("criteria"),
        ),
    ] = "d",
    limits: Annotated[
        str | None,
        typer.Option(
            metavar="LIMITS",
            help="velocity=2,acceleration=10,torque=50 for all joints, elbow.velocity=1 for one. "
            "Velocities and torques are by default those of the robot.",
        ),
    ] = None,
    position: Annotated[
        list[str] | None,
        typer.Option(
            metavar="JOINT=LOW:HIGH",
            help="Range of a joint [rad, m]; may be given several times.",
            autocompletion=completion.joint_numbers,
        ),
    ] = None,
    box: Annotated[
        list[str] | None,
        typer.Option(
            metavar="LINK=X,Y,Z:X,Y,Z",
            help="Lowest and highest corner [m] of a box for a link's origin, in the base frame; nothing in place of a "
            "number is no limit. May be given several times.",
            autocompletion=completion.named_number(completion.links),
        ),
    ] = None,
    height: Annotated[
        float | None, typer.Option(help="Origins of all moving links stay above this height [m]: a table's.")
    ] = None,
    rate: Annotated[float, typer.Option(help="Rows a second of the output, and of the log to come.")] = 100.0,
    starts: Annotated[int, typer.Option(help="Number of searches; the best counts.")] = 3,
    seed: Annotated[int, typer.Option(help="Seed of their random starts.")] = 0,
    periods: Annotated[int, typer.Option(help="How often the output repeats the motion.")] = 1,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the trajectory to this CSV or Parquet file.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw it in this .png, .svg or .pdf (needs the extra plot).")
    ] = None,
    as_json: Json = False,
) -> None:
    """Find the motion that tells most about a robot's masses and friction, within its limits.

    \b
    revolute excite ur5 --height 0 -o excitation.csv --plot excitation.png
    revolute excite panda --duration 20 --limits acceleration=5 --box panda_link8=-1,-1,0.1:1,1,1.2
    revolute excite arm.urdf --criterion condition --json

    The motion is periodic, a sum of sines, and starts and ends at rest. Limits are checked ten
    times finer than they are sampled for the search. Collisions of links with each other are not
    regarded: look at the motion with revolute view. The output has t, q.JOINT, qd.JOINT,
    qdd.JOINT. Needs the extra identify.
    """
    from revolute.cli.commands import excite as command

    check_apart([robot_file(robot)], [output, plot])
    command.run(
        named_robot(robot, "fixed"),
        duration,
        harmonics,
        criterion,
        limits,
        command.Places(position or (), box or (), height),
        rate,
        starts,
        seed,
        periods,
        output,
        plot,
        as_json,
        new_console(),
    )
