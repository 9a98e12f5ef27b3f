"""The command line: `revolute info`, `check`, `torque`, `simulate`, `ik`, `equations`, `count`, `compare`, and more.

Errors of this library are printed as one line on stderr, with exit status 1, and warnings as one
line. Any other exception is a bug and shows its traceback.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from typer.core import TyperGroup

from revolute import __version__
from revolute.cli.commands import cache as cache_command
from revolute.cli.commands import check as check_command
from revolute.cli.commands import compare as compare_command
from revolute.cli.commands import completion, operations_page
from revolute.cli.commands import count as count_command
from revolute.cli.commands import demo as demo_command
from revolute.cli.commands import equations as equations_command
from revolute.cli.commands import excite as excite_command
from revolute.cli.commands import export as export_command
from revolute.cli.commands import identify as identify_command
from revolute.cli.commands import ik as ik_command
from revolute.cli.commands import info as info_command
from revolute.cli.commands import payload as payload_command
from revolute.cli.commands import simulate as simulate_command
from revolute.cli.commands import torque as torque_command
from revolute.cli.commands import trajectory as trajectory_command
from revolute.cli.commands import view as view_command
from revolute.cli.commands.control import ControlOptions
from revolute.cli.commands.log_options import LogOptions
from revolute.cli.commands.logs import files_of
from revolute.cli.commands.robots import named_robot, robot_file
from revolute.cli.commands.targets import check_apart, check_folder
from revolute.cli.commands.termination import orderly_end
from revolute.errors import ModelWarning, RevoluteError, one_line, printable_lines
from revolute.machine.counting import Convention

__all__ = ["app"]


class _Group(TyperGroup):
    def invoke(self, ctx: Any) -> Any:
        """Run a command; print the errors and warnings of this library as lines."""
        try:
            with orderly_end(), warnings.catch_warnings():
                warnings.simplefilter("always", ModelWarning)
                warnings.showwarning = lambda message, *_, **__: _print_line("Warning", message)
                return super().invoke(ctx)
        except (RevoluteError, OSError) as error:
            _print_line("Error", error)
            raise typer.Exit(1) from None
        except Exception as error:
            message = getattr(error, "message", None)  # of a usage error, which quotes the command line
            if isinstance(message, str):
                error.message = printable_lines(message)  # type: ignore[attr-defined]
            raise


def _print_line(kind: str, message: object) -> None:
    print(f"{kind}: {one_line(str(message))}", file=sys.stderr)


app = typer.Typer(
    cls=_Group,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="The dynamics of robots, from a description to machine code.",
)

RobotName = Annotated[
    str,
    typer.Argument(
        metavar="ROBOT",
        autocompletion=completion.robots,
        help="A URDF, MJCF, SDF or TOML file, - for XML on standard input, or a robot of the library: ur5, panda, "
        "puma560, stanford, dh_arm:JOINTS, planar:JOINTS, random_tree:JOINTS:SEED.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object, for programs, in place of tables.")]
Base = Annotated[
    str, typer.Option(help="Base of a URDF robot: fixed, or free to float.", autocompletion=completion.bases)
]


@app.callback(invoke_without_command=True)
def main(version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False) -> None:
    """The dynamics of robots, from a description to machine code."""
    if version:
        print(f"revolute {__version__}")
        raise typer.Exit


@app.command()
def info(robot: RobotName, base: Base = "fixed", as_json: Json = False) -> None:
    """Show a robot: its tree, masses, limits, and the operation counts of its equations."""
    info_command.run(named_robot(robot, base), as_json, Console())


@app.command()
def check(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...",
            autocompletion=completion.robots,
            help="URDF, MJCF, SDF or TOML files, - for XML on standard input, or robots of the library.",
        ),
    ],
    base: Base = "fixed",
    strict: Annotated[bool, typer.Option("--strict", help="Fail on suspicious findings too.")] = False,
    meshes: Annotated[bool, typer.Option("--meshes", help="Open the meshes of URDF files (needs trimesh).")] = False,
    as_json: Json = False,
) -> None:
    """List physically impossible or suspicious data of robots.

    Links: masses, principal moments (triangle inequality), densities between balsa and
    tungsten, centres of mass and inertias that fit the link's boxes, cylinders, spheres and
    meshes. Frames: axes that are left-handed. Joints: limits, and whether they move any
    inertia. Names in URDF and SDF files that are not read. Each finding has the figures and
    the likely cause, such as millimetres, grams, or an inertia about the wrong point.

    The exit status is 1 if a file cannot be loaded or has impossible findings, and with
    --strict also if it has suspicious ones.
    """
    if not check_command.run(files, base, strict, meshes, as_json, Console()):
        raise typer.Exit(1)


@app.command()
def torque(
    robot: RobotName,
    trajectory: Annotated[Path, typer.Argument(metavar="TRAJECTORY", help="CSV or Parquet file (.parquet, .pq).")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write joint forces to this CSV or Parquet file.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw joint forces in this .png, .svg or .pdf (needs revolute[plot]).")
    ] = None,
    base: Base = "fixed",
    knots: Annotated[
        int | None,
        typer.Option(help="Samples between the knots of the smoothing spline; by default cross-validation chooses."),
    ] = None,
    drives: Annotated[
        bool,
        typer.Option("--drives", help="Include the rotors, friction and springs of the joints; mimics follow."),
    ] = False,
) -> None:
    """Compute the joint forces along a trajectory.

    The file's first row names its columns, in any order:

    \b
    t            time [s] (or: time, seconds, time_s, t [s])
    q.JOINT      positions [rad, m] (or just: JOINT)
    qd.JOINT     velocities, for all joints or none
    qdd.JOINT    accelerations, for all joints or none

    A free joint has q.JOINT.x y z qx qy qz qw, and qd.JOINT.wx wy wz vx vy vz, its body
    twist. Positions alone are enough: missing velocities and accelerations are derived with
    a smoothing spline (needs revolute[trajectory]), and the output says so. Forces are
    written as tau.JOINT [N m, N], beside t.

    With --drives the columns are those of the joints that mimic no other. Forces then
    include what turns the rotors and overcomes friction and springs, and the loads of the
    joints that mimic. Friction of a joint at rest counts as zero.
    """
    check_apart([robot_file(robot), trajectory], [output, plot])
    torque_command.run(named_robot(robot, base), trajectory, output, plot, knots, drives, Console())


@app.command()
def simulate(
    robot: RobotName,
    q0: Annotated[
        str | None, typer.Option(metavar="NUMBERS", help="Positions at the start [rad, m]; by default zero.")
    ] = None,
    qd0: Annotated[
        str | None, typer.Option(metavar="NUMBERS", help="Velocities at the start; by default at rest.")
    ] = None,
    tau: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBERS|FILE",
            help="Joint forces [N m, N]: constant, or a table with columns t and tau.JOINT; by default none.",
        ),
    ] = None,
    controller: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Follow --reference by a controller in place of --tau: pd_with_gravity, computed_torque, "
            "feedforward_pd or passivity_based.",
        ),
    ] = None,
    reference: Annotated[
        Path | None, typer.Option(help="Trajectory for --controller: a table with columns t and q.JOINT.")
    ] = None,
    bandwidth: Annotated[float, typer.Option(help="Of the closed loop [rad/s]: gains follow from it.")] = 10.0,
    duration: Annotated[
        float | None, typer.Option(help="Seconds to simulate; by default as long as the table of --tau or --reference.")
    ] = None,
    step: Annotated[float, typer.Option(help="Seconds from one instant to the next.")] = 0.001,
    method: Annotated[
        str,
        typer.Option(
            help="Fixed steps, one an instant: explicit_euler, semi_implicit_euler, runge_kutta_4, "
            "runge_kutta_munthe_kaas_4, implicit_midpoint, variational_midpoint. Adaptive steps, to a relative error "
            "of 1e-9 (needs revolute[trajectory]): RK45, DOP853, Radau, BDF, LSODA.",
            autocompletion=completion.methods,
        ),
    ] = "runge_kutta_4",
    damping: Annotated[
        bool, typer.Option("--damping", help="Apply the viscous friction of the robot's joints too.")
    ] = False,
    stop_at_limits: Annotated[
        bool, typer.Option("--stop-at-limits", help="End the motion where a joint reaches its limit.")
    ] = False,
    contact: Annotated[
        list[str] | None,
        typer.Option(
            metavar="LINK=HEIGHT", help="End the motion where the link's origin falls to this height [m]; repeatable."
        ),
    ] = None,
    every: Annotated[int, typer.Option(help="Keep every so many of the instants alone.")] = 1,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the motion to this .csv, .parquet or .npz file.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the motion in this .png, .svg or .pdf (needs revolute[plot]).")
    ] = None,
    as_json: Json = False,
    base: Base = "fixed",
) -> None:
    """Simulate the motion under joint forces, from a given state.

    NUMBERS are 0.1,-0.2,0 for all joints in their order (see: revolute info), or
    elbow=0.5,wrist=-1 for some of them. A free joint has x y z qx qy qz qw for --q0, and
    wx wy wz vx vy vz, its body twist, for --qd0 and --tau.

    \b
    revolute simulate planar:2 --q0 0.5,0 --duration 10 -o motion.csv --plot motion.png
    revolute simulate ur5 --q0 elbow_joint=1 --tau torques.csv --method DOP853
    revolute simulate ur5 --controller computed_torque --reference pick.csv -o tracked.csv

    With a controller the motion begins on its reference, unless --q0 or --qd0 say otherwise.
    Forces of a table are linear between its rows, and the motion begins at its first time.
    Contacts, limits and Coulomb friction are ignored, but limits that are passed are reported.
    The output has t, q.JOINT, qd.JOINT, qdd.JOINT, tau.JOINT (without the damping) and
    kinetic_energy, potential_energy, energy [J]. If the motion diverges, or Ctrl-C ends it, the
    part before is written, and the exit status is not 0.
    """
    check_apart([robot_file(robot), tau, reference], [output, plot])
    control = ControlOptions(controller, reference, bandwidth)
    stops = simulate_command.Stops(stop_at_limits, contact or (), every)
    model = named_robot(robot, base)
    simulate_command.run(
        model, q0, qd0, tau, control, duration, step, method, damping, stops, output, plot, as_json, Console()
    )


@app.command()
def ik(
    robot: RobotName,
    frame: Annotated[
        str | None,
        typer.Option(metavar="LINK", help="Link that is to be there; by default the one that most joints carry."),
    ] = None,
    xyz: Annotated[
        str | None, typer.Option(metavar="NUMBERS", help="Position in the base frame [m]: 0.4,0.1,0.5.")
    ] = None,
    rpy: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBERS", help="Roll, pitch and yaw [rad]; without them any orientation will do."
        ),
    ] = None,
    poses: Annotated[
        Path | None,
        typer.Option(help="CSV or Parquet file of poses: x, y, z; roll, pitch, yaw or qx, qy, qz, qw; maybe t."),
    ] = None,
    path: Annotated[bool, typer.Option("--path", help="The poses of --poses follow each other: no jumps.")] = False,
    q0: Annotated[
        str | None, typer.Option(metavar="NUMBERS", help="Positions to begin at [rad, m]; by default random ones.")
    ] = None,
    rest: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBERS|middle", help="Positions that redundant joints come near, or the middle of their limits."
        ),
    ] = None,
    limits: Annotated[bool, typer.Option(help="Keep the joints within their limits.")] = True,
    restarts: Annotated[int, typer.Option(help="Random starts that may follow the first one.")] = 100,
    tolerance: Annotated[float, typer.Option(help="Largest error [rad, m].")] = 1e-6,
    seed: Annotated[int, typer.Option(help="Of the random starts.")] = 0,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the positions to this CSV or Parquet file.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the robot there in this .png, .svg or .pdf (needs revolute[plot]).")
    ] = None,
    base: Base = "fixed",
    as_json: Json = False,
) -> None:
    """Find joint positions at which a link reaches a pose, or each pose of a table.

    \b
    revolute ik ur5 --xyz 0.4,0.2,0.5 --rpy 0,3.14,0 --plot ur5.png
    revolute ik panda --frame panda_link8 --poses poses.csv --path -o motion.csv

    NUMBERS are as for simulate. The output has t if the poses have it, q.JOINT, rotation_error [rad],
    position_error [m] and converged, 1 or 0. A pose that is not reached has the nearest positions
    that were found, and the exit status is 1.
    """
    check_apart([robot_file(robot), poses], [output, plot])
    solved = ik_command.run(
        named_robot(robot, base), frame, xyz, rpy, poses, path, q0, rest, limits, restarts, tolerance, seed, output,
        plot, as_json, Console(),
    )  # fmt: skip
    if not solved:
        raise typer.Exit(1)


@app.command()
def trajectory(
    robot: RobotName,
    via: Annotated[
        list[str],
        typer.Option(
            metavar="NUMBERS|FILE",
            help="A waypoint, to be given for each of them; or a table with columns q.JOINT, and t if it has times.",
        ),
    ],
    kind: Annotated[
        str | None,
        typer.Option(
            help="cubic, quintic: at rest at each waypoint. minimum_jerk, spline: through them. "
            "trapezoid, jerk_limited: from one to the next as fast as --limits allow. By default quintic, with "
            "--time-optimal spline.",
            autocompletion=completion.trajectories,
        ),
    ] = None,
    times: Annotated[
        str | None, typer.Option(metavar="NUMBERS", help="Times of the waypoints [s]; by default those of the file.")
    ] = None,
    duration: Annotated[float | None, typer.Option(help="Seconds, divided evenly between waypoints.")] = None,
    limits: Annotated[
        str | None,
        typer.Option(
            metavar="LIMITS",
            help="velocity=2,acceleration=10,jerk=100,torque=50 for all joints, elbow.velocity=1 for one. "
            "Velocities and torques are by default those of the robot.",
        ),
    ] = None,
    fastest: Annotated[
        bool, typer.Option("--fastest", help="Run it as a whole as fast as limits of velocity and torque allow.")
    ] = False,
    time_optimal: Annotated[
        bool,
        typer.Option("--time-optimal", help="Take the least time along its path (needs revolute[control])."),
    ] = False,
    drives: Annotated[
        bool, typer.Option("--drives", help="Torques include rotors, friction and springs of the joints.")
    ] = False,
    step: Annotated[float, typer.Option(help="Seconds from row to row of the output.")] = 0.001,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the trajectory to this CSV or Parquet file.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw it in this .png, .svg or .pdf (needs revolute[plot]).")
    ] = None,
    base: Base = "fixed",
    as_json: Json = False,
) -> None:
    """Make a trajectory through waypoints, and check its limits.

    NUMBERS are 0.1,-0.2,0 for all joints in their order (see: revolute info), or
    elbow=0.5,wrist=-1 for some of them, the others at zero.

    \b
    revolute trajectory ur5 --via 0,-1,1,0,0,0 --via 1,-0.5,0.5,1,0,0 --duration 2 -o move.csv
    revolute trajectory ur5 --via waypoints.csv --time-optimal -o fast.csv --plot fast.png
    revolute trajectory panda --via elbow.csv --kind trapezoid --limits acceleration=5

    The motion is sampled, and the largest position, velocity, acceleration and torque of every
    joint is shown beside its limit. What passes a limit is red, and is written all the same. The
    output has t, q.JOINT, qd.JOINT, qdd.JOINT, which revolute torque and view read.
    """
    check_apart([robot_file(robot), *via], [output, plot])
    trajectory_command.run(
        named_robot(robot, base),
        via,
        kind,
        times,
        duration,
        limits,
        fastest,
        time_optimal,
        drives,
        step,
        output,
        plot,
        as_json,
        Console(),
    )


Columns = Annotated[
    list[str] | None,
    typer.Option(
        metavar="FILE.toml|QUANTITY=COLUMNS",
        help="Columns of the log: q=position_{n} (from 1), tau={name}_effort, t=stamp, qd=none, or a list with commas; "
        "or a TOML file with these and more (see: revolute identify --help). Repeatable.",
    ),
]
Degrees = Annotated[bool, typer.Option("--degrees", help="All angles of the log are in degrees.")]
Rate = Annotated[float | None, typer.Option(metavar="HZ", help="Rows a second, of a log without times.")]
Cutoff = Annotated[
    float | None, typer.Option(metavar="HZ", help="Of the low-pass; by default as the motion's spectrum advises.")
]
Times = Annotated[
    str | None, typer.Option(metavar="FIRST,LAST", help="Only samples between these times [s] count.")
]
Gains = Annotated[
    str | None,
    typer.Option(
        metavar="NUMBERS|unknown",
        help="The log has currents [A]: torque of each joint for one ampere [N m/A]; unknown ones are fitted.",
    ),
]
Joints = Annotated[
    str | None, typer.Option(metavar="NAMES", help="Joints that moved, with commas; the others are locked.")
]


@app.command()
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
            help="weighted: joints by their noise. ordinary: all alike. huber: outliers count less.",
            autocompletion=completion.estimators,
        ),
    ] = "weighted",
    physical: Annotated[
        bool, typer.Option(help="Links must be bodies that can exist (needs revolute[identify]).")
    ] = True,
    offsets: Annotated[bool, typer.Option(help="Each joint has a constant force, as of a biased sensor.")] = True,
    asymmetric: Annotated[bool, typer.Option("--asymmetric", help="Coulomb friction differs by direction.")] = False,
    stribeck: Annotated[bool, typer.Option("--stribeck", help="Stribeck friction; its speeds are searched.")] = False,
    only: Annotated[
        str | None,
        typer.Option(metavar="NAMES", help="Fit these parameters, links or joints, with commas; the others are known."),
    ] = None,
    columns: Columns = None,
    degrees: Degrees = False,
    rate: Rate = None,
    cutoff: Cutoff = None,
    times: Times = None,
    gains: Gains = None,
    joints: Joints = None,
    base: Base = "fixed",
    as_json: Json = False,
) -> None:
    """Find a robot's masses, inertias and friction from logs of its motion and torques.

    \b
    revolute identify ur10.urdf log.csv --validate other.csv -o model.urdf --report report.html
    revolute identify tx40.urdf q=positions.csv,tau=torques.csv --columns tx40.toml
    revolute identify arm.urdf log.csv --degrees --gains 11.1,10.8,9.6 --joints j1,j2,j3

    The log's first row names its columns, and most spellings are understood: t or time; q1,
    q.JOINT, JOINT or JOINT_position; qd1 or JOINT_velocity; tau1, JOINT_torque or JOINT_effort.
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
    inputs = [path for log in (*logs, *(validation or ())) for path in files_of(log)]
    check_apart([robot_file(robot), *inputs, *(columns or ())], [output, report])
    options = LogOptions(columns or (), degrees, rate, cutoff, times, gains, joints)
    fitting = identify_command.FitOptions(estimator, physical, offsets, asymmetric, stribeck, only)
    outputs = identify_command.Outputs(output, report, as_json)
    identify_command.run(named_robot(robot, base), logs, validation or (), options, fitting, outputs, Console())


@app.command()
def payload(
    robot: RobotName,
    log: Annotated[str, typer.Argument(metavar="LOG", help="With the load: a file as for identify.")],
    link: Annotated[str, typer.Option(metavar="LINK", help="That carries the load, such as tool0.")],
    without: Annotated[
        str | None, typer.Option(metavar="LOG", help="The same motion without the load: errors of the model cancel.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the robot with its load: .urdf, .xml (MJCF) or .toml.")
    ] = None,
    offsets: Annotated[bool, typer.Option(help="The log has its own constant force of each joint.")] = False,
    columns: Columns = None,
    degrees: Degrees = False,
    rate: Rate = None,
    cutoff: Cutoff = None,
    times: Times = None,
    gains: Gains = None,
    joints: Joints = None,
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
    inputs = [path for text in (log, without) if text for path in files_of(text)]
    check_apart([robot_file(robot), *inputs, *(columns or ())], [output])
    options = LogOptions(columns or (), degrees, rate, cutoff, times, gains, joints)
    payload_command.run(named_robot(robot, base), log, link, without, options, offsets, output, as_json, Console())


@app.command()
def export(
    robot: RobotName,
    functions: Annotated[list[str], typer.Argument(metavar="FUNCTION...", help="Methods that compute, by name.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder, or a file that ends in .c; the others stand beside it.")
    ] = Path(),
    frame: Annotated[str | None, typer.Option(metavar="LINK", help="Link of poses and Jacobians.")] = None,
    language: Annotated[str, typer.Option(help="c; or c++ for a header with checked sizes too.")] = "c",
    dtype: Annotated[str, typer.Option(help="float64 or float32.")] = "float64",
    layout: Annotated[str, typer.Option(help="Of matrices: row by row, or column by column.")] = "row",
    sincos: Annotated[str, typer.Option(help="Sines and cosines: of math.h, or own code.")] = "math.h",
    batch: Annotated[bool, typer.Option("--batch", help="Write a loop over states too.")] = False,
    casadi: Annotated[bool, typer.Option("--casadi", help="Write functions for casadi.external too.")] = False,
    target: Annotated[
        str | None, typer.Option(metavar="PROCESSOR", help="Write an object file too: cortex-m4, aarch64, wasm32, ...")
    ] = None,
    base: Base = "fixed",
    as_json: Json = False,
) -> None:
    """Write functions as C99 for any compiler, or as an object file for another processor.

    \b
    revolute export ur5 inverse_dynamics mass_matrix -o generated
    revolute export arm.urdf forward_dynamics -o arm.c --dtype float32 --target cortex-m4

    The code has no loops, no memory of its own and needs nothing but math.h. A program NAME_test.c compares it with
    results of today. The code is yours.
    """
    options = {"dtype": dtype, "layout": layout, "sincos": sincos, "batch": batch, "casadi": casadi, "target": target}
    export_command.run(named_robot(robot, base), functions, frame, output, language, options, as_json, Console())


@app.command()
def excite(
    robot: RobotName,
    duration: Annotated[float, typer.Option(help="Seconds of a period.")] = 10.0,
    harmonics: Annotated[int, typer.Option(help="Number of frequencies: 1/duration, 2/duration ...")] = 5,
    criterion: Annotated[
        str, typer.Option(help="d: log determinant of the information; condition: the condition number.")
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
        typer.Option(metavar="JOINT=LOW:HIGH", help="Range of a joint [rad, m]; may be given several times."),
    ] = None,
    box: Annotated[
        list[str] | None,
        typer.Option(
            metavar="LINK=X,Y,Z:X,Y,Z",
            help="Lowest and highest corner [m] of a box for a link's origin, in the base frame; nothing in place of a "
            "number is no limit. May be given several times.",
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
        Path | None, typer.Option(help="Draw it in this .png, .svg or .pdf (needs revolute[plot]).")
    ] = None,
    as_json: Json = False,
) -> None:
    """Find the motion that tells most about a robot's masses and friction, within its limits.

    \b
    revolute excite ur5 --height 0 -o excitation.csv --plot excitation.png
    revolute excite panda --duration 20 --limits acceleration=5 --box panda_hand=-1,-1,0.1:1,1,1.2
    revolute excite arm.urdf --criterion condition --json

    The motion is periodic, a sum of sines, and starts and ends at rest. Limits are checked ten
    times finer than they are sampled for the search. Collisions of links with each other are not
    regarded: look at the motion with revolute view. The output has t, q.JOINT, qd.JOINT,
    qdd.JOINT. Needs revolute[identify].
    """
    check_apart([robot_file(robot)], [output, plot])
    excite_command.run(
        named_robot(robot, "fixed"),
        duration,
        harmonics,
        criterion,
        limits,
        excite_command.Places(position or (), box or (), height),
        rate,
        starts,
        seed,
        periods,
        output,
        plot,
        as_json,
        Console(),
    )


@app.command()
def view(
    robot: RobotName,
    motion: Annotated[
        Path | None, typer.Argument(metavar="MOTION", help="CSV or Parquet file with t and positions, as for torque.")
    ] = None,
    q: Annotated[str | None, typer.Option(metavar="NUMBERS", help="Positions [rad, m], without a MOTION.")] = None,
    page: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write a page that needs no network, and end.")
    ] = None,
    collisions: Annotated[bool, typer.Option("--collisions", help="Show the collision shapes.")] = False,
    host: Annotated[
        str, typer.Option(help="Address to listen on; by default nobody but this machine can open the view.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on; the next free one if it is taken.")] = 8080,
    base: Base = "fixed",
) -> None:
    """Show a robot in a browser: its meshes, sliders for the joints, torques of gravity, a motion.

    \b
    revolute view ur5.urdf
    revolute view ur5 motion.csv --html motion.html

    Needs revolute[view]. A robot without shapes is drawn as capsules. A page of --html plays the
    motion; it has no sliders for joints.
    """
    check_apart([robot_file(robot), motion], [page])
    view_command.run(named_robot(robot, base), motion, q, page, collisions, host, port, Console())


@app.command()
def equations(
    robot: RobotName,
    latex: Annotated[bool, typer.Option("--latex", help="Print LaTeX, the lines of an align* environment.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print a Markdown page with LaTeX in it.")] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write a LaTeX document (.tex) or a Markdown page (.md).")
    ] = None,
    budget: Annotated[
        float, typer.Option(metavar="SECONDS", help="Time for each quantity; slower ones are not simplified.")
    ] = 20.0,
    show: Annotated[
        str,
        typer.Option(
            metavar="NAMES", help="Comma-separated, of M, C, g, christoffel, tau, kinetic, potential, lagrangian."
        ),
    ] = "M,C,g",
    grouped: Annotated[
        bool, typer.Option("--grouped", help="Use constants Theta_1 ... for masses and inertias.")
    ] = False,
    base: Base = "fixed",
) -> None:
    """Print the equations of motion, M(q) ddq + C(q, dq) dq + g(q) = tau.

    Positions are q1, q2 ... in the order of the joints, velocities dq1 ..., accelerations
    ddq1 ... Angles of parallel joints are added up; numbers have six digits. Equations that
    cannot be simplified in time are printed unsimplified, with named intermediate results
    and a note.

    \b
    revolute equations planar:2
    revolute equations ur5 --show M,g -o ur5.tex
    """
    check_apart([robot_file(robot)], [output])
    equations_command.run(named_robot(robot, base), show, latex, markdown, grouped, budget, output, Console())


@app.command()
def count(
    robot: RobotName,
    algorithm: Annotated[
        list[str] | None,
        typer.Option(
            help="A function of this library or a published formulation; may be given several times.",
            autocompletion=completion.algorithms,
        ),
    ] = None,
    convention: Annotated[
        Convention,
        typer.Option(help="traced: operations that are left for this robot; source: as books count."),
    ] = "traced",
    plot: Annotated[
        Path | None, typer.Option(help="Draw the counts in this .png, .svg or .pdf (needs revolute[plot]).")
    ] = None,
    page: Annotated[
        Path | None, typer.Option(help="Write the page of operation counts as Markdown, this robot included.")
    ] = None,
    base: Base = "fixed",
    as_json: Json = False,
) -> None:
    """Count the operations of the robot's equations, by this library and by published algorithms.

    \b
    revolute count puma560
    revolute count ur5 --algorithm forward_dynamics --algorithm articulated_bodies
    revolute count dh_arm:6 --convention source --plot counts.png

    Counts are exact. Zeros, constants and common terms of this robot are removed. Beside them
    stand the counts that the source prints for arms of this size.
    """
    check_apart([robot_file(robot)], [plot, page])
    if page is not None:
        check_folder(page)
    counted_robot = named_robot(robot, base)
    count_command.run(counted_robot, algorithm or (), convention, plot, as_json, Console())
    if page is not None:
        operations_page.run(counted_robot, page, Console(stderr=as_json))


@app.command()
def compare(robot: RobotName, base: Base = "fixed", as_json: Json = False) -> None:
    """Compare the published algorithms that are coded here: agreement, operations, time of the compiled kernel."""
    compare_command.run(named_robot(robot, base), as_json, Console())


@app.command()
def cache(
    clear: Annotated[bool, typer.Option("--clear", help="Remove all of it; code is compiled again on use.")] = False,
) -> None:
    """Show the folder and the size of the cache of machine code."""
    cache_command.run(clear, Console())


@app.command()
def demo(
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for the results.")] = Path("demo-output"),
) -> None:
    """Compute the joint torques of a UR5 that puts a box on a shelf, 10 s at 1 kHz."""
    demo_command.run(output, Console())
