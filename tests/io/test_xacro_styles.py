"""Xacro files in the styles of makers' descriptions load, although their expressions and files are checked."""

import math
from pathlib import Path

import pytest

import revolute
from revolute.io.source import opened
from revolute.io.xacro import expanded

pytest.importorskip("xacro")

HEAD = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'
PACKAGE = "<package><name>{}</name></package>"
INERTIA = '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'

UNIVERSAL = {
    "arm_description/package.xml": PACKAGE.format("arm_description"),
    "arm_description/config/small/limits.yaml": """
        joint_limits:
          shoulder: {max_effort: 150.0, max_velocity: !degrees 180.0, min_position: !degrees -360.0,
                     max_position: !degrees 2 * 180}
        """,
    "arm_description/config/small/physical.yaml": "{masses: {upper: 7.5}, offsets: {shoulder: [0, 0, 0.16]}}",
    "arm_description/urdf/inc/common.xacro": f"""{HEAD}
        <xacro:macro name="rod" params="radius length mass *origin">
          <inertial><mass value="${{mass}}"/><xacro:insert_block name="origin"/>
            <inertia ixx="${{mass / 12 * (3 * radius**2 + length * length)}}" ixy="0" ixz="0" iyz="0"
              iyy="${{mass / 12 * (3 * radius**2 + length * length)}}" izz="${{mass * radius**2 / 2}}"/></inertial>
        </xacro:macro>
        <xacro:macro name="read_data" params="limits_file physical_file">
          <xacro:property name="limits" value="${{xacro.load_yaml(limits_file)}}"/>
          <xacro:property name="physical" value="${{load_yaml(physical_file)}}"/>
          <xacro:property name="sec_limits" value="${{limits['joint_limits']}}"/>
          <xacro:property name="shoulder_limits" value="${{sec_limits['shoulder']}}" scope="parent"/>
          <xacro:property name="upper_mass" value="${{physical['masses']['upper']}}" scope="parent"/>
          <xacro:property name="height" value="${{physical['offsets']['shoulder'][2]}}" scope="parent"/>
        </xacro:macro></robot>""",
    "arm_description/urdf/main.urdf.xacro": f"""{HEAD}
        <xacro:arg name="prefix" default=""/><xacro:arg name="safe" default="false"/>
        <xacro:arg name="limits_file" default="$(find arm_description)/config/$(arg kind)/limits.yaml"/>
        <xacro:include filename="$(find arm_description)/urdf/inc/common.xacro"/>
        <xacro:macro name="arm" params="prefix parent safe:=false start:=${{dict(shoulder=0.0, elbow=-1.57)}} *origin">
          <xacro:read_data limits_file="$(arg limits_file)"
            physical_file="$(find arm_description)/config/$(arg kind)/physical.yaml"/>
          <link name="${{prefix}}upper"><xacro:rod radius="0.06" length="0.4" mass="${{upper_mass}}">
            <origin xyz="0 0 0.2"/></xacro:rod></link>
          <joint name="${{prefix}}shoulder" type="revolute"><parent link="${{parent}}"/><child link="${{prefix}}upper"/>
            <xacro:insert_block name="origin"/><axis xyz="0 0 1"/>
            <xacro:if value="${{safe}}"><limit lower="-1" upper="1" effort="1" velocity="1"/></xacro:if>
            <xacro:unless value="${{safe}}"><limit lower="${{shoulder_limits['min_position']}}"
              upper="${{shoulder_limits['max_position']}}" effort="${{shoulder_limits['max_effort']}}"
              velocity="${{shoulder_limits['max_velocity'] + start['shoulder']}}"/></xacro:unless></joint>
        </xacro:macro>
        <link name="base"/>
        <xacro:arm prefix="$(arg prefix)" parent="base" safe="$(arg safe)">
          <origin xyz="0 0 0.16" rpy="${{pi / 2}} 0 0"/></xacro:arm></robot>""",
}
FRANKA = {
    "hand_description/package.xml": PACKAGE.format("hand_description"),
    "hand_description/robots/inertials.yaml": """
        link1: {mass: 2.5, origin: {xyz: 0 0 0.1, rpy: 0 0 0}, inertia: {xx: 1, yy: 1, zz: 1}}
        """,
    "hand_description/robots/limits.yaml": "joint1: {limit: {lower: -2.5, upper: 2.5, velocity: 2, effort: 87}}",
    "hand_description/robots/common/utils.xacro": f"""{HEAD}
        <xacro:macro name="inertials" params="name inertials:=^">
          <xacro:unless value="${{name in inertials}}">${{xacro.warning('no inertia of ' + name)}}</xacro:unless>
          <xacro:if value="${{name in inertials}}">
            <xacro:property name="link_inertials" value="${{inertials[name]}}" lazy_eval="false"/>
            <inertial><origin rpy="${{link_inertials.origin.rpy}}" xyz="${{link_inertials.origin.xyz}}"/>
              <mass value="${{link_inertials.mass}}"/>
              <xacro:if value="${{'inertia' in link_inertials}}">
                <xacro:property name="I" value="${{link_inertials.inertia}}"/>
                <inertia ixx="${{I.xx}}" ixy="0" ixz="0" iyy="${{I.yy}}" iyz="0" izz="${{I.zz}}"/></xacro:if></inertial>
          </xacro:if>
        </xacro:macro>
        <xacro:macro name="guarded_link" params="name rpy:='0 0 0' **geometry guarded:=false">
          <link name="${{name}}"><xacro:inertials name="${{name}}"/>
            <xacro:if value="${{guarded}}"><xacro:insert_block name="geometry"/></xacro:if></link>
        </xacro:macro>
        <xacro:macro name="limits" params="name config">
          <xacro:property name="limits" value="${{config[name]['limit']}}" lazy_eval="false"/>
          <limit lower="${{limits.lower}}" upper="${{limits.upper}}" effort="${{limits.effort}}"
            velocity="${{limits.velocity}}"/>
        </xacro:macro></robot>""",
    "hand_description/robots/main.urdf.xacro": f"""{HEAD}
        <xacro:include filename="common/utils.xacro"/>
        <xacro:property name="inertials"
          value="${{xacro.load_yaml('$(find hand_description)/robots/inertials.yaml')}}"/>
        <xacro:macro name="chain" params="prefix:='' limits:=${{xacro.load_yaml('limits.yaml')}} connected_to">
          <xacro:unless value="${{not connected_to}}"><link name="${{connected_to}}"/></xacro:unless>
          <xacro:guarded_link name="link1" guarded="${{prefix == ''}}">
            <geometry><collision><geometry><sphere radius="0.1"/></geometry></collision></geometry></xacro:guarded_link>
          <joint name="${{prefix}}joint1" type="revolute"><parent link="${{connected_to or 'world'}}"/>
            <child link="link1"/><axis xyz="0 0 1"/><xacro:limits name="joint1" config="${{limits}}"/></joint>
        </xacro:macro>
        <xacro:chain connected_to="base"/></robot>""",
}
STRETCH = {
    "mobile/package.xml": PACKAGE.format("mobile"),
    "mobile/urdf/lift.xacro": f"""{HEAD}
        <xacro:property name="scale_factor" value="1.1"/>
        <xacro:property name="positions" value="${{[[0, 0, 0.2], [0, 0, 0.4]]}}"/>
        <link name="base"/>
        <xacro:macro name="stage" params="number parent">
          <link name="stage_${{number}}"><inertial><mass value="${{0.5 * number + 1}}"/>{INERTIA}</inertial></link>
          <joint name="extension_${{number}}" type="prismatic"><parent link="${{parent}}"/>
            <child link="stage_${{number}}"/><axis xyz="0 0 1"/>
            <origin xyz="${{' '.join([str(x * scale_factor) for x in positions[number]])}}"/>
            <limit lower="0" upper="${{python.sum(p[2] for p in positions)}}" effort="${{max(1, 2.5)}}"
              velocity="1"/></joint>
          <xacro:if value="${{number &lt; len(positions) - 1}}">
            <xacro:stage number="${{number + 1}}" parent="stage_${{number}}"/></xacro:if>
        </xacro:macro></robot>""",
    "mobile/urdf/main.xacro": f"""{HEAD}
        <xacro:arg name="use_lift" default="true"/><xacro:property name="use_lift" value="$(arg use_lift)"/>
        <xacro:include filename="lift.xacro"/>
        <xacro:if value="${{use_lift and '$(optenv MOBILE_MODEL re2)'.startswith('re')}}">
          <xacro:stage number="0" parent="base"/></xacro:if></robot>""",
}
KUKA = {
    "shared/package.xml": PACKAGE.format("kuka_like_resources"),
    "shared/urdf/materials.xacro": f"""{HEAD}<xacro:property name="reach" value="0.42"/>
        <xacro:property name="axes" value="0 1 0,0 0 1"/></robot>""",
    "support/package.xml": PACKAGE.format("kuka_like_support"),
    "support/urdf/macro.xacro": f"""{HEAD}
        <xacro:include filename="$(find kuka_like_resources)/urdf/materials.xacro" ns="common"/>
        <xacro:macro name="kr" params="prefix mode:=^|mock *origin">
          <xacro:property name="cut" value="${{common.axes.split(',')}}"/>
          <link name="${{prefix}}base_link"/><link name="${{prefix}}link_1"><inertial>
            <origin xyz="0 0 ${{common.reach / 2}}"/><mass value="${{12 if mode == 'mock' else 13}}"/>
            {INERTIA}</inertial></link>
          <joint name="${{prefix}}joint_1" type="revolute"><xacro:insert_block name="origin"/>
            <parent link="${{prefix}}base_link"/><child link="${{prefix}}link_1"/><axis xyz="${{cut[0]}}"/>
            <limit lower="${{radians(-170)}}" upper="${{-radians(-170)}}" effort="0.5e3"
              velocity="${{radians(360)}}"/></joint>
        </xacro:macro></robot>""",
    "support/urdf/main.xacro": f"""{HEAD}
        <xacro:include filename="$(find kuka_like_support)/urdf/macro.xacro"/>
        <xacro:arg name="mode" default="mock"/><xacro:property name="mode" value="$(arg mode)"/>
        <xacro:property name="name" value="kr"/>
        <xacro:property name="place"><origin xyz="0 0 1"/></xacro:property>
        <xacro:call macro="${{name}}" prefix="${{name.upper()}}_"><xacro:insert_block name="place"/></xacro:call>
        </robot>""",
}
STYLES = {
    "universal": (UNIVERSAL, {"kind": "small"}, 7.5, [(-2 * math.pi, 2 * math.pi, 150, math.pi)]),
    "universal, safe": (UNIVERSAL, {"kind": "small", "safe": True}, 7.5, [(-1, 1, 1, 1)]),
    "franka": (FRANKA, {}, 2.5, [(-2.5, 2.5, 87, 2)]),
    "stretch": (STRETCH, {}, 2.5, [(0, 0.2 + 0.4, 2.5, 1)] * 2),
    "kuka": (KUKA, {}, 12, [(math.radians(-170), math.radians(170), 500, 2 * math.pi)]),
    "kuka, real": (KUKA, {"mode": "real"}, 13, [(math.radians(-170), math.radians(170), 500, 2 * math.pi)]),
}
"""Files, arguments, mass, and limits of each joint: lower, upper, effort, velocity."""


@pytest.mark.parametrize("style", STYLES)
def test_a_description_in_the_style_of_a_maker_loads(style: str, tmp_path: Path) -> None:
    files, arguments, mass, limits = STYLES[style]
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    texts = [expanded(opened(str(path)), arguments, trusted=trusted).content for trusted in (False, True)]
    assert texts[0] == texts[1]
    robot = revolute.load(texts[0])
    assert sum(body.inertia.m for body in robot.bodies) == pytest.approx(mass)
    found = [(*x.lower, *x.upper, *x.effort, *x.velocity) for x in (body.limits for body in robot.bodies[1:])]
    assert found == [pytest.approx(row) for row in limits]
