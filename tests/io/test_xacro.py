"""Xacro files are expanded by the package xacro, in a process that is bounded."""

from __future__ import annotations

from pathlib import Path

import pytest

import revolute
from revolute import ModelError
from revolute.io import xacro as module

pytest.importorskip("xacro")

HEAD = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'
ARM = """<xacro:macro name="arm" params="mass"><link name="base"/><link name="arm"><inertial><mass value="${2*mass}"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link><joint name="j" type="continuous">
<parent link="base"/><child link="arm"/></joint></xacro:macro>"""


def test_a_xacro_file_is_expanded_with_what_it_includes(tmp_path: Path) -> None:
    (tmp_path / "hand" / "urdf").mkdir(parents=True)
    (tmp_path / "hand" / "urdf" / "arm.xacro").write_text(f"{HEAD}{ARM}</robot>")
    path = tmp_path / "hand" / "urdf" / "all.urdf.xacro"
    for file in ("arm.xacro", "$(find hand)/urdf/arm.xacro"):
        path.write_text(f'{HEAD}<xacro:include filename="{file}"/><xacro:arm mass="1.5"/></robot>')
        assert revolute.load(path).bodies[1].inertia.m == 3.0


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("<xacro:arm/>", "unknown macro name"),
        ("<link name='${1/0}'/>", "division by zero"),
        ('<xacro:include filename="$(find nowhere)/a.xacro"/>', "no such package"),
        ('<xacro:include filename="none.xacro"/>', "none.xacro"),
        ('<xacro:include filename="a.xacro"/>', ""),
        ("<link name=\"${'a' * 10**10}\"/>", ""),
        ('<xacro:macro name="m"><xacro:m/></xacro:macro><xacro:m/>', ""),
    ],
)
def test_what_cannot_be_expanded_is_refused(
    text: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SECONDS", 30)
    path = tmp_path / "a.xacro"
    path.write_text(f"{HEAD}{text}</robot>")
    with pytest.raises(ModelError, match=rf"a\.xacro: xacro .*{reason}"):
        revolute.load(path)
