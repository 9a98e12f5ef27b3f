"""HTML of a robot for notebooks: its picture, a table of its joints, its tree."""

import base64
import io
import math
from collections.abc import Iterator

from revolute.arguments import Array
from revolute.errors import MissingExtraError, printable
from revolute.model import Model, limit_column, number
from revolute.model.describe import tree
from revolute.plot.charts import text
from revolute.plot.robots import robot

HEADINGS = ("joint", "type", "from", "to", "lower", "upper", "speed", "effort")
UNITS = "rad, m, s, N m, N"


def page(model: Model) -> str:
    """HTML of a robot. Names are escaped, so that markup in a file is shown as text."""
    first, *rows = tree(model).split("\n")
    name = printable(model.name)
    parts = [f"<div><b>{text(name)}</b>{text(first.removeprefix(name))}</div>", *picture(model)]
    if model.n_joints:
        parts.append(_table(model))
    lines = "\n".join(map(text, rows))
    parts.append(f"<details><summary>tree of {len(model.bodies)} bodies</summary><pre>{lines}</pre></details>")
    return "\n".join(parts)


def _table(model: Model) -> str:
    head = "".join(f"<th>{heading}</th>" for heading in HEADINGS)
    rows = "\n".join(f"<tr>{''.join(f'<td>{text(cell)}</td>' for cell in row)}</tr>" for row in _rows(model))
    return f"<table><thead><tr>{head}</tr></thead><tbody>\n{rows}\n</tbody></table><div>{UNITS}</div>"


def _rows(model: Model) -> Iterator[tuple[str, ...]]:
    """A row for each joint; limits of joints with several coordinates are not shown."""
    lower, upper = (limit_column(model, side, "nq", math.nan) for side in ("lower", "upper"))
    speed, effort = (limit_column(model, name, "nv", math.nan) for name in ("velocity", "effort"))
    for body, p, v in zip(model.bodies[1:], model.q_index[1:], model.v_index[1:], strict=True):
        one = body.joint.nq == 1
        cells = (number(float(x[0])) if one else "–" for x in (lower[p], upper[p], speed[v], effort[v]))
        yield (body.joint_name, body.joint.words(), model.bodies[body.parent].name, body.name, *cells)


def picture(model: Model, q: Array | None = None) -> list[str]:
    """An <img> of the robot at q, or at its home; none without Matplotlib, or for a robot with symbols."""
    if model.symbols:
        return []
    try:
        figure = robot(model, q, title="")
    except MissingExtraError:
        return []
    from PIL import Image, ImageChops

    drawn, content = io.BytesIO(), io.BytesIO()
    figure.savefig(drawn, format="png", dpi=112)
    whole = Image.open(drawn).convert("RGB")
    inked = ImageChops.difference(whole, Image.new("RGB", whole.size, "white")).getbbox()
    whole.crop(inked).quantize(128).save(content, "PNG", optimize=True)
    png = base64.b64encode(content.getvalue()).decode()
    return [f'<img alt="{text(model.name)}" src="data:image/png;base64,{png}" style="max-width: 560px"/>']
