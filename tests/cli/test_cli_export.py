"""`revolute export`: C, objects and modules of functions; nothing is left behind by a mistake."""

import json
from pathlib import Path

from cli.calling import invoke
from files import names

import revolute


def test_what_the_command_writes_is_what_the_method_writes(tmp_path: Path) -> None:
    said = invoke("export", "planar:2", "mass_matrix", "jacobian", "--frame", "tip", "-o", tmp_path / "a" / "b")
    assert names(tmp_path / "a" / "b") == ["planar2.c", "planar2.h", "planar2_test.c"]
    assert "planar2.c  " in said
    own = {"jacobian": {"frame": "tip"}}
    _, code, *_ = revolute.robots.planar(2).to_c(["mass_matrix", "jacobian"], tmp_path, options=own)
    assert code.read_text() == (tmp_path / "a" / "b" / "planar2.c").read_text()


def test_options_files_and_json(tmp_path: Path) -> None:
    options = "--dtype=float32 --layout=column --sincos=own --batch --casadi --target=wasm32 --language c++ --json"
    said = invoke("export", "planar:2", "mass_matrix", "-o", tmp_path / "arm.c", *options.split())
    files = sorted(Path(file).name for file in json.loads(said)["files"])
    assert names(tmp_path) == files == ["arm.c", "arm.h", "arm.hpp", "arm.wasm", "arm_casadi.c", "arm_test.c"]
    assert "arm_mass_matrix_batch" in (tmp_path / "arm.h").read_text()
