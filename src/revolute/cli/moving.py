"""Commands that move robots: inverse and forward dynamics, poses, trajectories."""

from pathlib import Path
from typing import Annotated

import typer

from revolute.cli.commands.motion_options import IkOptions, SimulateOptions, TorqueOptions, TrajectoryOptions
from revolute.cli.commands.options import argument, with_records
from revolute.cli.commands.robots import named_robot, robot_file
from revolute.cli.commands.targets import check_apart
from revolute.cli.root import Base, Json, RobotName, app, new_console
from revolute.errors import InputError


@app.command()
@with_records
def torque(
    robot: RobotName,
    trajectory: Annotated[
        Path, argument("TRAJECTORY", "CSV or Parquet file (.parquet, .pq); or a folder, or a quoted pattern, of them."),
    ],
    *,
    options: TorqueOptions,
    base: Base = "fixed",
) -> None:
    """Compute the joint forces along a trajectory.

    The file's first row names its columns, in any order:

    \b
    t            time [s] (or: time, seconds, time_s, t [s])
    q.JOINT      positions [rad, m] (or just: JOINT)
    qd.JOINT     velocities, for all joints or none
    qdd.JOINT    accelerations, for all joints or none

    A free joint has q.JOINT.x y z qx qy qz qw, and qd.JOINT.wx wy wz vx vy vz, its body
    twist. Positions alone are enough: a smoothing spline gives missing velocities and
    accelerations (needs the extra scipy), with a note. Forces are written as tau.JOINT
    [N m, N], beside t.

    With --drives the columns are for joints that mimic no other joint. Forces then
    include rotors, friction and springs, and the loads of mimicking joints.
    Friction of a joint at rest is zero.

    \b
    revolute torque ur5 motion.csv -o torques.csv --report loads.html
    revolute torque ur5 motion.csv --payload tool0=4,0,0,0.08 --wrench tool0=0,0,0,0,0,-20
    revolute torque ur5 motion.csv --lock wrist_2_joint=1.57,wrist_3_joint
    revolute torque ur5 'logs/*.parquet' -o forces --shard 3/8

    With a folder or a pattern, -o is a folder; each file of forces is named after its trajectory.
    Reading, computing and writing overlap. Every file is written whole or not at all. After a
    stop, the same command with --resume computes the rest: trajectories without forces, or
    newer than these, or all if the robot's file is newer.
    """
    from revolute.cli.commands import torque as command
    from revolute.cli.commands import torque_files

    if torque_files.are_many(trajectory):
        torque_files.run(named_robot(robot, base), trajectory, options, robot_file(robot), new_console())
        return
    for option, is_given in (("--shard", options.shard is not None), ("--resume", options.resume)):
        if is_given:
            raise InputError(f"{option} is for a folder or a pattern of files, not for one file: {trajectory}")
    check_apart([robot_file(robot), trajectory], [options.output, options.plot, options.report])
    command.run(named_robot(robot, base), trajectory, options, new_console())


@app.command()
@with_records
def simulate(robot: RobotName, *, options: SimulateOptions, as_json: Json = False, base: Base = "fixed") -> None:
    """Simulate the motion under joint forces, from a given state.

    NUMBERS are 0.1,-0.2,0 for all joints in their order (see: revolute info), or
    elbow=0.5,wrist=-1 for some of them. A free joint has x y z qx qy qz qw for --q0, and
    wx wy wz vx vy vz, its body twist, for --qd0 and --tau.

    \b
    revolute simulate planar:2 --q0 0.5,0 --duration 10 -o motion.csv --plot motion.png
    revolute simulate ur5 --q0 elbow_joint=1 --tau torques.csv --method DOP853
    revolute simulate ur5 --controller computed_torque --reference pick.csv -o tracked.csv
    revolute simulate ur5 --plan plan.npz --step 0.0002

    With a controller or a plan the motion begins on its reference by default. Forces of a table
    are linear between its rows, and the motion begins at its first time. Limits and Coulomb friction
    are ignored, and contacts except those of --contact or of the plan; positions beyond limits are
    reported. The output contains t, q.JOINT,
    qd.JOINT, qdd.JOINT, tau.JOINT (without the damping) and kinetic_energy, potential_energy,
    energy [J]. If the motion diverges, or Ctrl-C ends it, the motion so far is written, and the
    exit status is not 0.
    """
    from revolute.cli.commands import simulate as command

    check_apart([robot_file(robot), options.tau, options.reference, options.plan], [options.output, options.plot])
    command.run(named_robot(robot, base), options, as_json, new_console(quiet=as_json))


@app.command()
@with_records
def ik(robot: RobotName, *, options: IkOptions, base: Base = "fixed", as_json: Json = False) -> None:
    """Find joint positions at which a link reaches a pose, or each pose of a table.

    \b
    revolute ik ur5 --xyz 0.4,0.2,0.5 --rpy 0,3.14,0 --plot ur5.png
    revolute ik panda --frame panda_link8 --poses poses.csv --path -o motion.csv
    revolute ik ur5 --xyz 0.4,0.2,0.5 --rpy 0,3.14,0 --all -o solutions.csv

    NUMBERS are as for simulate. The output contains t if the poses do, q.JOINT, rotation_error [rad],
    position_error [m] and converged, 1 or 0. For a pose that is not reached, the nearest positions
    are written, and the exit status is 1. With --all, it contains the number of the pose and q.JOINT.
    """
    from revolute.cli.commands import ik as command

    check_apart([robot_file(robot), options.poses], [options.output, options.plot])
    if not command.run(named_robot(robot, base), options, as_json, new_console(quiet=as_json)):
        raise typer.Exit(1)


@app.command()
@with_records
def trajectory(robot: RobotName, *, options: TrajectoryOptions, base: Base = "fixed", as_json: Json = False) -> None:
    """Make a trajectory through waypoints, and check its limits.

    NUMBERS are 0.1,-0.2,0 for all joints in their order (see: revolute info), or
    elbow=0.5,wrist=-1 for some of them, the others at zero.

    \b
    revolute trajectory ur5 --via 0,-1,1,0,0,0 --via 1,-0.5,0.5,1,0,0 --duration 2 -o move.csv
    revolute trajectory ur5 --via waypoints.csv --time-optimal -o fast.csv --plot fast.png
    revolute trajectory panda --via elbow.csv --kind trapezoid --limits acceleration=5

    The motion is sampled, and the largest position, velocity, acceleration and torque of every
    joint is shown beside its limit, red beyond it; the file is written in any case. The output
    contains t, q.JOINT, qd.JOINT, qdd.JOINT, as revolute torque and view read them.
    """
    from revolute.cli.commands import trajectory as command

    check_apart([robot_file(robot), *options.via], [options.output, options.plot])
    command.run(named_robot(robot, base), options, as_json, new_console(quiet=as_json))
