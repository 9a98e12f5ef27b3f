"""Commands that move robots: torques of motions, motions of torques, poses, trajectories."""

from pathlib import Path
from typing import Annotated

import typer

from revolute.cli.commands import completion
from revolute.cli.commands.robots import named_robot, robot_file
from revolute.cli.commands.targets import check_apart, check_folder
from revolute.cli.commands.trajectory_options import TrajectoryOptions
from revolute.cli.records import with_records
from revolute.cli.root import Base, Json, RobotName, app, new_console
from revolute.errors import InputError

__all__ = ["ik", "simulate", "torque", "trajectory"]


@app.command()
def torque(
    robot: RobotName,
    trajectory: Annotated[
        Path,
        typer.Argument(
            metavar="TRAJECTORY", help="CSV or Parquet file (.parquet, .pq); or a folder, or a quoted pattern, of them."
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write joint forces to this CSV or Parquet file, or folder of files."),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw joint forces in this .png, .svg or .pdf (needs the extra plot).")
    ] = None,
    report: Annotated[
        Path | None, typer.Option(help="Write a page with loads and curves: .html, which needs no network.")
    ] = None,
    payload: Annotated[
        list[str] | None,
        typer.Option(
            metavar="LINK=MASS[,X,Y,Z]",
            help="A point mass [kg] on a link, at its origin or at a place in its frame [m]; repeatable.",
            autocompletion=completion.named_number(completion.links),
        ),
    ] = None,
    wrench: Annotated[
        list[str] | None,
        typer.Option(
            metavar="LINK=MX,MY,MZ,FX,FY,FZ",
            help="Constant moment [N m] and force [N] that the environment applies to a link at its origin, along the "
            "link's axes; repeatable.",
            autocompletion=completion.named_number(completion.links),
        ),
    ] = None,
    lock: Annotated[
        list[str] | None,
        typer.Option(
            metavar="JOINT=POSITION",
            help="Lock joints, with commas, or repeatedly; without a position at zero or the nearest limit. The "
            "trajectory is that of the others.",
            autocompletion=completion.joint_numbers,
        ),
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
    shard: Annotated[
        str | None,
        typer.Option(metavar="I/N", help="Of many files, the I-th of N parts: for arrays of jobs on a cluster."),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Of many files, leave out those whose forces are there and not older."),
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
    a smoothing spline (needs the extra scipy), and the output says so. Forces are
    written as tau.JOINT [N m, N], beside t.

    With --drives the columns are those of the joints that mimic no other. Forces then
    include what turns the rotors and overcomes friction and springs, and the loads of the
    joints that mimic. Friction of a joint at rest counts as zero.

    \b
    revolute torque ur5 motion.csv -o torques.csv --report loads.html
    revolute torque ur5 motion.csv --payload tool0=4,0,0,0.08 --wrench tool0=0,0,0,0,0,-20
    revolute torque ur5 motion.csv --lock wrist_2_joint=1.57,wrist_3_joint
    revolute torque ur5 'logs/*.parquet' -o forces --shard 3/8

    With a folder or a pattern, -o is a folder: each file's forces get its name there. Reading,
    computing and writing overlap. Every file is written whole or not at all. After a stop,
    the same command with --resume does what is left: trajectories without forces, or newer
    than these, or all if the robot's file is newer.
    """
    from revolute.cli.commands import changes, torque_files
    from revolute.cli.commands import torque as command

    model = changes.with_payloads(changes.locked(named_robot(robot, base), lock or ()), payload or ())
    wrenches = changes.wrenches_of(model, wrench or ())
    remarks = [
        f"{name} {text}"
        for name, texts in (("payload", payload), ("wrench", wrench), ("locked:", lock))
        for text in texts or ()
    ]
    if torque_files.are_many(trajectory):
        if output is None:
            raise InputError(f"{trajectory}: for many files, -o names a folder")
        if plot is not None or report is not None:
            raise InputError(f"{'--plot' if plot else '--report'} shows one file")
        check_folder(output)
        part = torque_files.shard_of(shard or "1/1")
        torque_files.run(
            model, trajectory, output, knots, drives, wrenches, remarks, part, resume, robot_file(robot), new_console()
        )
        return
    for option, is_given in (("--shard", shard is not None), ("--resume", resume)):
        if is_given:
            raise InputError(f"{option} is for a folder or a pattern of files, not for one: {trajectory}")
    check_apart([robot_file(robot), trajectory], [output, plot, report])
    command.run(model, trajectory, output, plot, report, knots, drives, wrenches, remarks, new_console())


@app.command()
def simulate(
    robot: RobotName,
    q0: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBERS",
            help="Positions at the start [rad, m]; by default zero.",
            autocompletion=completion.joint_numbers,
        ),
    ] = None,
    qd0: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBERS",
            help="Velocities at the start; by default at rest.",
            autocompletion=completion.joint_numbers,
        ),
    ] = None,
    tau: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBERS|FILE",
            help="Joint forces [N m, N]: constant, or a table with columns t and tau.JOINT; by default none.",
            autocompletion=completion.joint_numbers,
        ),
    ] = None,
    controller: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Follow --reference by a controller in place of --tau: pd_with_gravity, computed_torque, "
            "feedforward_pd or passivity_based.",
            autocompletion=completion.known("laws"),
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
            "of 1e-9 (needs the extra scipy): RK45, DOP853, Radau, BDF, LSODA.",
            autocompletion=completion.known("methods"),
        ),
    ] = "runge_kutta_4",
    joint_damping: Annotated[
        bool, typer.Option("--joint-damping", help="Apply the viscous friction of the robot's joints too.")
    ] = False,
    stop_at_limits: Annotated[
        bool, typer.Option("--stop-at-limits", help="End the motion where a joint reaches its limit.")
    ] = False,
    contact: Annotated[
        list[str] | None,
        typer.Option(
            metavar="LINK=HEIGHT",
            help="End the motion where the link's origin falls to this height [m]; repeatable.",
            autocompletion=completion.named_number(completion.links),
        ),
    ] = None,
    every: Annotated[int, typer.Option(help="Keep every so many of the instants alone.")] = 1,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the motion to this .csv, .parquet or .npz file.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the motion in this .png, .svg or .pdf (needs the extra plot).")
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
    from revolute.cli.commands import simulate as command
    from revolute.cli.commands.control import ControlOptions

    check_apart([robot_file(robot), tau, reference], [output, plot])
    control = ControlOptions(controller, reference, bandwidth)
    stops = command.Stops(stop_at_limits, contact or (), every)
    model = named_robot(robot, base)
    command.run(
        model, q0, qd0, tau, control, duration, step, method, joint_damping, stops, output, plot, as_json, new_console()
    )


@app.command()
def ik(
    robot: RobotName,
    frame: Annotated[
        str | None,
        typer.Option(
            metavar="LINK",
            help="Link that is to be there; by default the one that most joints carry.",
            autocompletion=completion.links,
        ),
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
        str | None,
        typer.Option(
            metavar="NUMBERS",
            help="Positions to begin at [rad, m]; by default random ones.",
            autocompletion=completion.joint_numbers,
        ),
    ] = None,
    rest: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBERS|middle",
            help="Positions that redundant joints come near, or the middle of their limits.",
            autocompletion=completion.joint_numbers,
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
        Path | None, typer.Option(help="Draw the robot there in this .png, .svg or .pdf (needs the extra plot).")
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
    from revolute.cli.commands import ik as command

    check_apart([robot_file(robot), poses], [output, plot])
    solved = command.run(
        named_robot(robot, base), frame, xyz, rpy, poses, path, q0, rest, limits, restarts, tolerance, seed, output,
        plot, as_json, new_console(),
    )  # fmt: skip
    if not solved:
        raise typer.Exit(1)


@app.command()
@with_records
def trajectory(
    robot: RobotName, *, options: TrajectoryOptions, base: Base = "fixed", as_json: Json = False,
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
    from revolute.cli.commands import trajectory as command

    check_apart([robot_file(robot), *options.via], [options.output, options.plot])
    command.run(named_robot(robot, base), options, as_json, new_console())
