"""Notebooks show the figures that the library makes."""

import io
import pickle
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure
from PIL import Image
from processes import printed

import revolute
from revolute import plot, trajectory
from revolute.plot.shown_figure import ShownFigure
from revolute.published.counting import counted

ARM, T = revolute.robots.planar(2), np.linspace(0, 0.1, 11)
REST = np.zeros((11, 2))

FIGURES: dict[str, Callable[[], Figure]] = {
    "robot": lambda: ARM.plot([0.3, 0.5]),
    "space": lambda: revolute.robots.stanford().plot(),
    "film": lambda: ARM.animate(REST, T).figure(0.05),
    "simulation": lambda: ARM.simulate([0.3, 0.5], [0.0, 0.0], None, T).plot(),
    "trajectory": lambda: trajectory.spline(ARM, [[0, 0], [1, 1]], 1.0).plot(),
    "trajectory-forces": lambda: trajectory.spline(ARM, [[0, 0], [1, 1]], 1.0).plot(ARM),
    "workspace": lambda: ARM.workspace("tip", 50).plot(),
    "joint-forces": lambda: plot.joint_forces(ARM, T, REST, "at rest"),
    "operations": lambda: plot.operations("planar2", 2, counted(ARM, ["mass_matrix"])),
}
"""A figure of each function that returns one."""


@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_has_a_picture_for_notebooks(name: str) -> None:
    figure = FIGURES[name]()
    assert isinstance(figure, ShownFigure)
    with Image.open(io.BytesIO(figure._repr_png_())) as picture:
        assert picture.format == "PNG" and 300 < picture.width <= 1000  # wide enough to read, and no more
        assert len(picture.convert("RGB").getcolors(1 << 20) or ()) > 10  # something is drawn


def test_figures_are_matplotlibs_and_can_be_pickled(tmp_path: Path) -> None:
    figure = pickle.loads(pickle.dumps(ARM.plot([0.3, 0.5])))
    assert isinstance(figure, ShownFigure) and isinstance(figure, Figure)
    figure.savefig(tmp_path / "arm.pdf")
    assert (tmp_path / "arm.pdf").stat().st_size > 1000 and figure._repr_png_().startswith(b"\x89PNG")


def test_pyplot_is_left_alone() -> None:
    """Its import chooses a backend, and its figures stay in memory until they are closed."""
    drawn = "import revolute, sys; revolute.robots.planar(2).plot()._repr_png_(); "
    assert printed(drawn + "print('matplotlib.pyplot' in sys.modules)") == "False\n"


@pytest.mark.filterwarnings("default")
def test_a_fresh_notebook_shows_figures_once(tmp_path: Path) -> None:
    """With pyplot, too, whose backend draws figures at the end of a cell."""
    v4, client = pytest.importorskip("nbformat").v4, pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    sources = [
        "import revolute\nrobot = revolute.robots.planar(2)\nrobot.plot([0.3, 0.5])",
        "robot.plot([0.3, 0.5]);",
        "import matplotlib.pyplot as plt\nrobot.plot([0.3, 0.5])",
        "figure, axes = plt.subplots()\nrobot.plot([0.3, 0.5], axes=axes);",
    ]
    notebook = v4.new_notebook(cells=[v4.new_code_cell(source) for source in sources])
    client.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    pictures = [sum("image/png" in x.get("data", {}) for x in cell["outputs"]) for cell in notebook.cells]
    assert pictures == [1, 0, 1, 1]
