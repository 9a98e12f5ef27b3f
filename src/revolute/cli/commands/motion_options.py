"""Options of commands that move robots, in one dataclass per command."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from revolute.cli.commands import completion
from revolute.cli.commands.options import Drawing, TrajectoryFile, choice, flag, numbers, on_links, option, output_file


@dataclass(frozen=True)
class TorqueOptions:
    """Changes of the robot, files to write, and the part of many files to process."""

    output: Annotated[
        Path | None, output_file("Write joint forces to this CSV or Parquet file, or folder of files.")
    ] = None
    plot: Drawing = None
    report: Annotated[Path | None, option("Write a page with loads and curves: .html, which needs no network.")] = None
    payload: Annotated[list[str] | None, on_links(
        "LINK=MASS[,X,Y,Z]", "A point mass [kg] on a link, at its origin or a point in its frame [m]; repeatable."
    )] = None
    wrench: Annotated[list[str] | None, on_links(
        "LINK=MX,MY,MZ,FX,FY,FZ",
        "Constant moment [N m] and force [N] that the environment applies to a link at its origin, expressed in the "
        "link's frame; repeatable."
    )] = None
    lock: Annotated[list[str] | None, numbers(
        "Lock joints, with commas, or repeatedly; without a position at zero or the nearest limit. The trajectory is "
        "for the others.", "JOINT=POSITION"
    )] = None
    knots: Annotated[
        int | None, option("Samples between the knots of the smoothing spline; by default cross-validation chooses.")
    ] = None
    drives: Annotated[
        bool, flag("--drives", "Include rotors, friction and springs of the joints; mimics follow.")
    ] = False
    shard: Annotated[
        str | None, option("Of many files, the I-th of N parts: for arrays of jobs on a cluster.", metavar="I/N")
    ] = None
    resume: Annotated[bool, flag("--resume", "Of many files, skip those whose forces exist and are not older.")] = False


@dataclass(frozen=True)
class SimulateOptions:
    """Initial state, forces or a controller, integration method, and files to write."""

    q0: Annotated[str | None, numbers("Initial positions [rad, m]; by default zero.")] = None
    qd0: Annotated[str | None, numbers("Initial velocities [rad/s, m/s]; by default zero.")] = None
    tau: Annotated[str | None, numbers(
        "Joint forces [N m, N]: constant, or a table with columns t and tau.JOINT; by default none.", "NUMBERS|FILE"
    )] = None
    controller: Annotated[str | None, choice(
        "laws",
        "Follow --reference by a controller in place of --tau: pd_with_gravity, computed_torque, feedforward_pd or "
        "passivity_based.", "NAME"
    )] = None
    reference: Annotated[Path | None, option("Trajectory for --controller: a table with columns t and q.JOINT.")] = None
    plan: Annotated[
        Path | None, option("Replay a plan of optimal control, a file of plan.save: its forces, and its gains.")
    ] = None
    bandwidth: Annotated[float, option("Bandwidth of the closed loop [rad/s], which sets the gains.")] = 10.0
    duration: Annotated[
        float | None, option("Duration [s]; by default that of the table of --tau or --reference, or of --plan.")
    ] = None
    step: Annotated[float, option("Time from one instant to the next [s].")] = 0.001
    method: Annotated[str | None, choice(
        "methods",
        "By default runge_kutta_4, with contacts or stops semi_implicit_euler. Fixed steps, one an instant: "
        "explicit_euler, semi_implicit_euler, runge_kutta_4, runge_kutta_munthe_kaas_4, implicit_midpoint, "
        "variational_midpoint. Adaptive steps, to a relative error of 1e-9 (needs the extra scipy): RK45, DOP853, "
        "Radau, BDF, LSODA."
    )] = None
    joint_damping: Annotated[
        bool, flag("--joint-damping", "Apply the viscous friction of the robot's joints too.")
    ] = False
    stop_at_limits: Annotated[bool, flag("--stop-at-limits", "End the motion where a joint reaches its limit.")] = False
    contact: Annotated[list[str] | None, on_links(
        "LINK=HEIGHT[,FRICTION]",
        "The link's origin touches a horizontal plane at this height [m], with this coefficient of friction (0.8); "
        "repeatable."
    )] = None
    stops: Annotated[bool, flag("--stops", "Joints have stops at their limits, which push back.")] = False
    every: Annotated[int, option("Keep only every N-th instant.")] = 1
    output: Annotated[Path | None, output_file("Write the motion to this .csv, .parquet or .npz file.")] = None
    plot: Drawing = None


@dataclass(frozen=True)
class IkOptions:
    """Poses, settings of the solver, and files to write."""

    frame: Annotated[str | None, option(
        "Link for the poses; by default the one that most joints carry.", metavar="LINK", offers=completion.links
    )] = None
    xyz: Annotated[str | None, option("Position in the base frame [m]: 0.4,0.1,0.5.", metavar="NUMBERS")] = None
    rpy: Annotated[
        str | None, option("Roll, pitch and yaw [rad]; without them the orientation is free.", metavar="NUMBERS")
    ] = None
    poses: Annotated[
        Path | None, option("CSV or Parquet file of poses: x, y, z; roll, pitch, yaw or qx, qy, qz, qw; optionally t."),
    ] = None
    path: Annotated[bool, flag("--path", "The poses of --poses form a path, which stops before a joint jumps.")] = False
    largest_step: Annotated[
        float | None, option("Along a path, the largest step of a joint from pose to pose [rad, m]; by default 0.5.")
    ] = None
    q0: Annotated[str | None, numbers("Initial positions [rad, m]; by default random ones.")] = None
    posture: Annotated[str | None, numbers(
        "Positions near which redundant joints stay, or the middle of their limits.", "NUMBERS|middle"
    )] = None
    limits: Annotated[bool, option("Keep the joints within their limits.")] = True
    all_: Annotated[bool, flag("--all", "All solutions of each pose, the nearest to --q0 first.")] = False
    turns: Annotated[bool, flag("--turns", "With --all: also those that differ by whole turns, within limits.")] = False
    branch: Annotated[bool, flag("--branch", "With --all: only those on the branch of --q0.")] = False
    hold: Annotated[str | None, numbers("With --all: positions of redundant joints: elbow=0.5.")] = None
    restarts: Annotated[int, option("Maximum number of random starts after the first start.")] = 100
    tolerance: Annotated[float, option("Maximum error [rad, m].")] = 1e-6
    seed: Annotated[int, option("Seed of the random starts.")] = 0
    output: Annotated[Path | None, output_file("Write the positions to this CSV or Parquet file.")] = None
    plot: Drawing = None


@dataclass(frozen=True)
class TrajectoryOptions:
    """Waypoints, their times, limits, and files to write."""

    via: Annotated[list[str], option(
        "A waypoint, once for each; or a table with columns q.JOINT, and t if it has times. With --frame, a pose: "
        "x,y,z,roll,pitch,yaw [m, rad], or a table of poses.", metavar="NUMBERS|FILE"
    )]
    frame: Annotated[str | None, option(
        "Follow straight lines from pose to pose of this link.", metavar="LINK", offers=completion.links
    )] = None
    blend: Annotated[
        float, option("Radius of the corners between lines [m]; at 0 the link stops at them, not for --time-optimal.")
    ] = 0.0
    q0: Annotated[str | None, numbers("With --frame, positions near which to start; by default any.")] = None
    around: Annotated[
        bool, flag("--around", "With --frame, try other starts if the path cannot be followed from --q0.")
    ] = False
    kind: Annotated[str | None, choice(
        "trajectories",
        "cubic, quintic: at rest at each waypoint. minimum_jerk, spline: through them. trapezoid, jerk_limited: from "
        "one to the next as fast as --limits allow. By default quintic, with --time-optimal spline."
    )] = None
    times: Annotated[
        str | None, option("Times of the waypoints [s]; by default those of the file.", metavar="NUMBERS")
    ] = None
    duration: Annotated[float | None, option("Duration [s], divided evenly between waypoints.")] = None
    limits: Annotated[str | None, option(
        "velocity=2,acceleration=10,jerk=100,torque=50 for all joints, elbow.velocity=1 for one. Velocities and "
        "torques are by default those of the robot.", metavar="LIMITS"
    )] = None
    start_velocity: Annotated[str | None, numbers(
        "Velocities at the first waypoint [rad/s, m/s]; by default at rest. For cubic, quintic, trapezoid, "
        "jerk_limited and --time-optimal, without --frame and --fastest."
    )] = None
    end_velocity: Annotated[str | None, numbers("Velocities at the last waypoint, in the same way.")] = None
    fastest: Annotated[bool, flag("--fastest", "Scale its speed up to the limits of velocity and torque.")] = False
    time_optimal: Annotated[
        bool, flag("--time-optimal", "Minimize the time along its path (needs the extra control).")
    ] = False
    drives: Annotated[bool, flag("--drives", "Torques include rotors, friction and springs of the joints.")] = False
    step: Annotated[float, option("Time from row to row of the output [s].")] = 0.001
    output: TrajectoryFile = None
    plot: Drawing = None
