"""A robot as a human-readable tree."""

from revolute.errors import printable
from revolute.model.body import ACTING
from revolute.model.joints.joint import figure
from revolute.model.link_frames import children_of
from revolute.model.model import Model


def tree(model: Model) -> str:
    """One line for each body, with its joint, mass and merged link frames; then the closures.

    Control characters in names are escaped.
    """
    children = children_of(model.bodies)
    mass = sum(body.inertia.m for body in model.bodies)
    lines = [f"{model.name}: {model.n_joints} joints, nq {model.nq}, nv {model.nv}, {figure(mass)} kg"]
    pending = [(0, "", "")]  # (body, prefix of its line, prefix of the lines below it)
    while pending:
        i, lead, below = pending.pop()
        body = model.bodies[i]
        joint = f" <- {body.joint_name} ({body.joint.words()})" if i else " (base)"
        merged = [f.name for f in model.frames if f.body == i and f.name != body.name]
        carries = f", carries {', '.join(merged)}" if merged else ""
        lines.append(f"{lead}{body.name}{joint}, {figure(body.inertia.m)} kg{carries}")
        last = children[i][-1:]
        pending += [
            (k, below + ("└─ " if [k] == last else "├─ "), below + ("   " if [k] == last else "│  "))
            for k in reversed(children[i])
        ]
    lines += [f"closed: {closure}" for closure in model.closures]
    return "\n".join(map(printable, lines))


def not_included(model: Model) -> str:
    """Text with the numbers of drives and mimics, which the dynamics of the links ignore; "" if there are none."""
    drives = sum(any(x != 0 for name in ACTING for x in getattr(b.drive, name)) for b in model.bodies)
    mimics = sum(body.drive.mimic is not None for body in model.bodies)
    counts = [f"{n} {what}{'s' if n > 1 else ''}" for n, what in ((drives, "drive"), (mimics, "mimic")) if n]
    return f"{', '.join(counts)} not included: with_drives()" if counts else ""
