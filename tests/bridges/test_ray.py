"""The recipe for Ray in docs/clusters.md, as it stands there."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import revolute

PAGE = Path(__file__).parents[2] / "docs" / "clusters.md"


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # Ray's, of itself
def test_the_recipe_for_ray(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    ray = pytest.importorskip("ray")
    monkeypatch.chdir(tmp_path)
    (recipe,) = re.findall(r"```py\n(import numpy as np, ray.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    ur5 = revolute.robots.ur5()
    rows = np.random.default_rng(1).uniform(-1, 1, (500, 18))
    names = [f"{x}.{joint}" for x in ("q", "qd", "qdd") for joint in ur5.coordinate_names]
    Path("motions").mkdir()
    pandas.DataFrame(rows, columns=names).to_parquet("motions/a.parquet")
    ray.init(num_cpus=4, include_dashboard=False, log_to_driver=False)
    try:
        exec(compile(recipe, str(PAGE), "exec"), {"__name__": "recipe"})
    finally:
        ray.shutdown()
    found = pandas.concat([pandas.read_parquet(x) for x in sorted(Path("forces").glob("*.parquet"))])
    wanted = ur5.inverse_dynamics(rows[:, :6], rows[:, 6:12], rows[:, 12:])
    assert list(found.columns) == [f"tau.{joint}" for joint in ur5.coordinate_names]
    order = np.argsort(found.to_numpy()[:, 0])  # files may come in any order
    np.testing.assert_array_equal(found.to_numpy()[order], wanted[np.argsort(wanted[:, 0])])
