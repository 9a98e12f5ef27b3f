"""Mesh files from untrusted sources: they are checked before reading, and simplified if they are too large."""

import io
import math
import re
from pathlib import PurePosixPath
from typing import Any

import numpy as np

from revolute.arguments import Array
from revolute.errors import InputError, extra
from revolute.model.shapes import Shape
from revolute.records import dataclass

FORMATS = (".stl", ".obj", ".dae", ".ply", ".off", ".glb", ".gltf")
"""Suffixes of supported mesh files. Archives are excluded: they may decompress to a huge size."""
LARGEST = 100_000_000  # maximum size of a mesh file [bytes]
MOST = 150_000  # maximum number of triangles of one mesh file; larger meshes are simplified
FARTHEST = 1e6  # maximum magnitude of a vertex coordinate [m]


@dataclass(frozen=True, eq=False)
class Surface:
    """Triangles of one colour."""

    vertices: Array  # (k, 3) corners [m]
    faces: Array  # (m, 3) indices of rows of `vertices`
    color: tuple[float, ...] = ()  # red, green, blue and opacity from 0 to 1; () if none is given


def surfaces(shape: Shape) -> list[Surface]:
    """The scaled surfaces of a mesh, in the shape's frame."""
    content, suffix = _content(shape)
    scale = np.array(shape.size)
    found = []
    for part in _parts(content, suffix, shape.file):
        vertices = part.vertices * scale
        faces = part.faces if np.prod(scale) >= 0 else part.faces[:, ::-1]
        if not len(faces):
            continue
        if not np.isfinite(vertices).all() or np.abs(vertices).max() > FARTHEST:
            raise InputError(f"mesh '{shape.file}': coordinates are not finite, or beyond {FARTHEST:g} m")
        found.append(Surface(vertices, faces, part.color))
    if not found:
        raise InputError(f"mesh '{shape.file}': it has no triangles")
    total = sum(len(part.faces) for part in found)
    if total <= MOST:
        return found
    return [
        Surface(*thinned(part.vertices, part.faces, math.ceil(MOST * len(part.faces) / total)), part.color)
        for part in found
    ]


def _content(shape: Shape) -> tuple[bytes, str]:
    name = shape.file
    inside = re.sub(r"^(package|model)://", "", name)
    if inside != name and ".." in PurePosixPath(inside.replace("\\", "/")).parts:
        raise InputError(f"mesh '{name}': the path leaves its package; write it without '..'")
    suffix = PurePosixPath(name).suffix.lower()
    if suffix not in FORMATS:
        raise InputError(f"mesh '{name}': the suffix must be one of {', '.join(FORMATS)}")
    path = shape.path
    if path is None:
        raise InputError(f"mesh '{name}': no such file; if it is in a package, set ROS_PACKAGE_PATH")
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
    except OSError as error:
        raise InputError(f"mesh '{name}': cannot be read: {error.strerror}") from None
    if len(content) > LARGEST:
        raise InputError(f"mesh '{name}': larger than {LARGEST // 1_000_000} MB; simplify it")
    if suffix == ".dae" and (b"<!DOCTYPE" in content or b"<!ENTITY" in content):
        raise InputError(f"mesh '{name}': it has a document type declaration (DOCTYPE), which is not allowed")
    return content, suffix


def trimesh() -> Any:
    """The package trimesh; `MissingExtraError` if it is not installed."""
    with extra("meshes need the package trimesh", "view"):
        import trimesh
    return trimesh


def _parts(content: bytes, suffix: str, name: str) -> list[Surface]:
    library = trimesh()
    if suffix == ".dae":
        with extra(f"mesh '{name}': .dae needs the package pycollada", "view"):
            import collada  # noqa: F401
    try:  # without a resolver, a mesh file cannot read other files
        with np.errstate(all="ignore"):
            scene = library.load_scene(io.BytesIO(content), file_type=suffix[1:])
            meshes = [mesh for mesh in scene.dump() if isinstance(mesh, library.Trimesh)]
        return [Surface(np.asarray(m.vertices, float), np.asarray(m.faces), _color(m.visual)) for m in meshes]
    except Exception as error:  # readers may raise exceptions of any type
        raise InputError(f"mesh '{name}': cannot be read as a mesh: {type(error).__name__}: {error}") from None


def _color(visual: Any) -> tuple[float, ...]:
    """The colour of a surface; () if it has none."""
    source = getattr(visual, "material", None) or (visual if getattr(visual, "defined", False) else None)
    color = getattr(source, "main_color", None)
    if color is None:
        return ()
    *rgb, opacity = (float(x) / 255 for x in np.asarray(color)[:4])
    return (*rgb, opacity or 1.0)


def thinned(vertices: Array, faces: Array, most: int) -> tuple[Array, Array]:
    """Simplify a mesh to at most `most` (m, 3) triangles with (k, 3) corners, on increasingly coarse grids."""
    low = vertices.min(axis=0)
    size = float(np.ptp(vertices, axis=0).max()) or 1.0
    cells = 1024
    while len(faces) > most and cells > 1:
        places = np.floor((vertices - low) / size * cells).astype(np.int64)
        corners, new = np.unique(places, axis=0, return_inverse=True)
        new = new.reshape(-1)
        middles = np.zeros((len(corners), 3))
        np.add.at(middles, new, vertices)
        middles /= np.bincount(new, minlength=len(corners))[:, None]
        mapped = new[faces]
        whole = (mapped != np.roll(mapped, 1, axis=1)).all(axis=1)  # other triangles are degenerate
        mapped = np.unique(np.sort(mapped[whole], axis=1), axis=0, return_index=True)[1]
        candidate = new[faces][whole][mapped]
        if len(candidate) <= most:
            return middles, candidate
        cells = cells * 3 // 4
    return vertices, faces[:most]
