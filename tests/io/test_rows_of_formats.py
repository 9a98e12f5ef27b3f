"""Every element of SDFormat and URDF is read, or reported, or has no effect: a row of its reader's table says which."""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar
from xml.etree.ElementTree import Element, SubElement, fromstring, tostring

import pytest

import revolute
from revolute import ModelError
from revolute.io.data import to_dict
from revolute.io.grammar import Kind
from revolute.io.sdf import read_sdf
from revolute.io.sdf_grammar import SDF
from revolute.io.source import opened
from revolute.io.urdf import read_urdf
from revolute.io.urdf_grammar import ROBOT
from revolute.io.xml import Tag, parse

GRAMMARS = {"sdf": SDF, "urdf": ROBOT}
MASS = "<inertial><mass>2</mass><inertia><ixx>.1</ixx><iyy>.1</iyy><izz>.1</izz></inertia></inertial>"
BASES = {
    "sdf": f"""<sdf version="1.9"><world name="w"><physics/><include><uri>model://part</uri></include><model name="m">
<link name="a">{MASS}<visual name="v"><geometry><box><size>1 1 1</size></box></geometry><material/></visual>
<collision name="c"><geometry><box><size>1 1 1</size></box></geometry></collision></link><link name="b">{MASS}</link>
<joint name="j" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz><limit/></axis>
<physics><ode/></physics></joint>
</model></world></sdf>""",
    "urdf": """<robot name="r"><link name="a"><inertial><mass value="2"/>
<inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial>
<visual><geometry><box size="1 1 1"/></geometry><material name="grey"/></visual>
<collision><geometry><box size="1 1 1"/></geometry></collision></link><link name="b"/>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><limit lower="-1" upper="1" effort="1" velocity="1"/>
</joint><gazebo reference="j"/>
<transmission name="t"><joint name="j"/><actuator name="m"/></transmission>
<ros2_control name="c"><transmission name="u"><joint name="j"/><actuator name="m"/></transmission></ros2_control>
</robot>""",
}
"""Files into which names are written. They have every element that is read and can contain other names."""

UNKNOWN = {
    "frame": "link joint inertial collision visual",  # of SDFormat 1.5 and 1.6, read by nobody
    **dict.fromkeys(("thread_pitch", "screw_thread_pitch", "axis2"), "joint"),  # the joint is not of such a type
}
"""Names that are reported as unknown in these elements."""


def paths(file_format: str) -> Iterator[tuple[str, ...]]:
    """All names of a specification, each with the elements around it."""
    lines = (Path(__file__).parent / f"{file_format}_elements.txt").read_text().splitlines()
    names = {key: words.split() for key, _, words in (line.partition(": ") for line in lines if line[0] != "#")}
    pending = [((next(iter(names)),), next(iter(names)))]
    while pending:
        path, key = pending.pop()
        yield path
        for name in names.get(key, ()):
            inner = f"{key}/{name}" if f"{key}/{name}" in names else name
            if name not in path:  # models in models have the rows of models
                pending.append(((*path, name), inner))


def row(grammar: Kind, path: Sequence[str]) -> tuple[str, int, Kind]:
    """What happens to a name, by which element of its path that is decided, and the kind of element around that."""
    inside, result = grammar, "read"
    for k, name in enumerate(path[1:], 1):
        inside = inside.variants.get("revolute", inside)
        inner, attribute = inside.inner.get(name), name.removeprefix("@")
        if name in inside.lost:
            return "lost", k, inside
        if name != attribute:
            known = attribute in inside.known or inside.anything
            return "read" if attribute in inside.read else "irrelevant" if known else "unknown", k, inside
        if inner is None:
            return "irrelevant" if name in inside.inner or inside.anything else "unknown", k, inside
        around, inside, result = inside, inner, result if name in inside.children else "irrelevant"
    return result, len(path) - 1, around if len(path) > 1 else grammar


def written(text: str, path: Sequence[str], value: str, at: int) -> str | None:
    """The text with a name in it, and with elements around it from `at` on; None if it lacks one before."""
    root = fromstring(text)
    place = root
    for k, name in enumerate(path[1:], 1):
        if name.startswith("@"):
            place.set(name[1:], value)
            continue
        found = place.find(name) if k < len(path) - 1 else None
        if found is None and k < min(at, len(path) - 1):
            return None
        place = SubElement(place, name) if found is None else found
    if not path[-1].startswith("@"):
        place.text = value
    return tostring(root, encoding="unicode")


def outcome(source: Any) -> tuple[object, list[str]]:
    """The robot, or the error, and the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            robot: object = to_dict(revolute.load(source))
        except ModelError as error:
            robot = str(error)
    return robot, [str(each.message) for each in caught]


@pytest.fixture(autouse=True)
def part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "part").mkdir()
    (tmp_path / "part" / "model.config").write_text("<model><sdf>part.sdf</sdf></model>")
    links = f'<link name="l">{MASS}</link><frame name="k"><pose>0 1 0 0 0 0</pose></frame>'
    text = f'<sdf version="1.9"><model name="part"><static>1</static>{links}</model></sdf>'
    (tmp_path / "part" / "part.sdf").write_text(text)
    monkeypatch.setenv("GZ_SIM_RESOURCE_PATH", str(tmp_path))


@pytest.mark.parametrize("file_format", GRAMMARS)
def test_every_name_of_the_specification_has_a_row(file_format: str) -> None:
    """Irrelevant names change nothing, others that are not read change nothing and are reported."""
    text, grammar = BASES[file_format], GRAMMARS[file_format]
    base, said = outcome(text)
    assert isinstance(base, dict)
    rows: dict[str, set[tuple[int, str]]] = {kind: set() for kind in ("read", "irrelevant", "lost", "unknown")}
    tested = set()
    for path in paths(file_format):
        kind, decided, inside = row(grammar, path)
        if "geometry" in path:  # the readers of shapes report shapes: see test_sdf_shapes.py
            continue
        name, above, where = path[decided], path[decided - 1], "/".join(path)
        rows[kind].add((id(inside), name))
        idle = inside.lost.get(name, "")
        changed = written(text, path, {"true": "false", "false": "true"}.get(idle, "7"), decided)
        if kind == "read" or changed is None:
            continue
        tested.add((id(inside), name))
        robot, told = outcome(changed)
        new = [each for each in told if each not in said]
        assert robot == base, where
        if kind == "irrelevant":
            assert not new, where
            continue
        what = f"<{name}> in <{above}>" if name[0] != "@" else f"attribute '{name[1:]}' of <{above}>"
        assert len(new) == 1 and f"{what} is not {'modelled: ignored' if kind == 'lost' else 'read; '}" in new[0], where
        if kind == "unknown":
            assert above in UNKNOWN.get(name, "").split(), where
        else:
            assert outcome(written(text, path, idle, decided)) == (base, said), where
    assert tested == rows["irrelevant"] | rows["lost"] | rows["unknown"]
    assert len(rows["read"]) > 40 and len(rows["lost"]) >= 6


AWAY = "<pose>1 0 0 0 1 0</pose>"
JOINT = '<joint name="{0}" type="{1}"><parent>{2}</parent><child>{3}</child>{4}</joint>'
INERTIAL = """<inertial><pose>.1 0 0 0 0 0</pose><mass>2</mass><inertia><ixx>.5</ixx><iyy>.6</iyy><izz>.7</izz>
<ixy>.01</ixy><ixz>.02</ixz><iyz>.03</iyz></inertia></inertial>"""
DATA = """<limit><lower>-1</lower><upper>2</upper><velocity>3</velocity><effort>4</effort>
<stiffness>5000</stiffness><dissipation>6</dissipation></limit><dynamics>
<damping>1</damping><friction>2</friction><spring_stiffness>3</spring_stiffness><spring_reference>.4</spring_reference>
</dynamics><mimic joint="{}" axis="axis2"><multiplier>2</multiplier><offset>.1</offset><reference>.3</reference>
</mimic>"""
SHAPES = "".join(
    f'<visual name="v{k}">{AWAY}<geometry>{solid}</geometry><material><diffuse>1 0 0 1</diffuse></material></visual>'
    for k, solid in enumerate((
        "<box><size>1 2 3</size></box>", "<cylinder><radius>1</radius><length>2</length></cylinder>",
        "<capsule><radius>1</radius><length>2</length></capsule>", "<ellipsoid><radii>1 2 3</radii></ellipsoid>",
        "<plane><normal>0 1 0</normal><size>1 2</size></plane>", "<sphere><radius>2</radius></sphere>",
        "<mesh><uri>a.stl</uri><scale>1 2 3</scale></mesh>", "<mesh><uri>a.stl</uri><submesh/></mesh>",
    ))
)  # fmt: skip
BALL = "<geometry><sphere><radius>1</radius></sphere></geometry>"
SHAPES += (
    f'<visual name="x">{BALL}<transparency>.5</transparency><material><ambient>1 0 0 1</ambient></material></visual>'
)
SHAPES += f'<collision name="y">{AWAY}{BALL}</collision>'
INSIDE = "<use_parent_model_frame>1</use_parent_model_frame>"
AXES = '<axis><xyz expressed_in="{0}">1 0 0</xyz>{1}</axis><axis2><xyz expressed_in="{0}">{2}</xyz>{1}</axis2>'
GEARS = "<gearbox_ratio>2</gearbox_ratio><gearbox_reference_body>a</gearbox_reference_body>"
PART = "<include {}><uri>model://part</uri><name>p</name>{}</include>"
MERGED = PART.format('merge="1"', "")
PLACED = f"{AWAY}<placement_frame>k</placement_frame>"


def arm(more: str, version: str = "1.9", around: str = "") -> str:
    """A model with three joints, on tilted links, and with more elements."""
    links = f'<link name="a">{MASS}</link>' + "".join(f'<link name="{x}">{MASS}{AWAY}</link>' for x in "bcd")
    axis, second = "<axis><xyz>1 0 0</xyz></axis>", "<axis2><xyz>0 1 0</xyz></axis2>"
    joints = JOINT.format("jb", "revolute", "a", "b", axis) + JOINT.format("jc", "revolute", "a", "c", axis)
    joints += JOINT.format("jd", "revolute2", "a", "d", axis + second)
    return f'<sdf version="{version}"><model name="m"{around}>{links}{joints}{more}</model></sdf>'


def tip(kind: str, joint: str, link: str = MASS + AWAY, version: str = "1.9") -> str:
    """The arm with one more joint and link."""
    return arm(f'<link name="e">{link}</link>{JOINT.format("je", kind, "d", "e", joint)}', version)


def world(more: str, text: str, version: str = "1.9") -> str:
    """A world with a model."""
    return f'<sdf version="{version}"><world name="w">{more}{text[text.index("<model") : -6]}</world></sdf>'


STILL = f'<model name="s" placement_frame="l"><static>1</static>{AWAY}<link name="l">{MASS}{AWAY}</link></model>'
ON = JOINT.format("on", "revolute", "{}", "m::a", "<axis><xyz>1 0 0</xyz></axis>")
URDF_SHAPES = "".join(
    f'<{use} name="v"><origin xyz="1 0 0"/><geometry><{solid}/></geometry><material name="red"/></{use}>'
    for use in ("visual", "collision")
    for solid in (
        'cylinder radius="1" length="2"', 'capsule radius="1" length="2"', 'sphere radius="2"',
        'mesh filename="x.stl" scale="1 2 3"', 'box size="1 2 3"',
    )
)  # fmt: skip
REDUCTION = "<mechanicalReduction>7</mechanicalReduction>"
REPORTED = {("transmission", "@name")}
"""Names that only warnings show."""
FULL: dict[str, tuple[str, ...]] = {
    "sdf": (tip("fixed", "", f"{INERTIAL}<gravity>0</gravity>{SHAPES}"), tip("fixed", "", '<inertial auto="1"/>'),
        arm("").replace("</link>", "<gravity>0</gravity></link>"),
        tip("universal", AXES.format("a", DATA.format("jd"), "0 1 0")),
        tip("universal", AWAY + AXES.format("", INSIDE, "0 0 1").replace(' expressed_in=""', ""), version="1.6"),
        tip("screw", "<screw_thread_pitch>.1</screw_thread_pitch><axis><xyz>1 0 0</xyz></axis>"),
        tip("screw", "<thread_pitch>4</thread_pitch><axis><xyz>1 0 0</xyz></axis>", version="1.4"),
        arm(JOINT.format("je", "gearbox", "b", "c", GEARS + AXES.format("b", "", "1 0 0"))),
        tip("fixed", "", f'{MASS}<pose rotation_format="quat_xyzw" relative_to="c">0 0 0 0 0 .6 .8</pose>'),
        tip("fixed", "", f'{MASS}<pose degrees="1" frame="c">0 0 0 0 0 60</pose>', version="1.6"),
        arm(
            f'<frame name="f" attached_to="c">{AWAY}</frame>{PART.format("", PLACED)}'
            + JOINT.format("on", "fixed", "f", "p::l", "")
        ),
        arm(
            f'{MERGED}<model name="n"><link name="n"/></model>'
            + JOINT.format("on", "fixed", "a", "l", "")
            + JOINT.format("onn", "fixed", "a", "n::n", "")
        ), arm(f'{AWAY}<frame name="f"/>', around=' canonical_link="b" placement_frame="c"'),
        world(f'<gravity>0 0 -3</gravity><frame name="post">{AWAY}</frame>{ON.format("post")}', arm("")),
        world(STILL + ON.format("s::l"), arm("")), world(PART.format("", PLACED) + ON.format("p::k"), arm("")),
        world("<physics><gravity>0 0 -3</gravity></physics>", arm(""), version="1.5"),
        world(PART.format("", "<static>0</static>"), arm("")), f'<sdf version="1.9">{PART.format("", "")}</sdf>'),
    "urdf": (
        f"""<robot name="r"><material name="red"><color rgba="1 0 0 1"/></material><link name="a"/><link name="b">
<inertial><origin xyz="1 0 0" rpy="1 0 0"/><mass value="2"/>
<inertia ixx=".5" iyy=".6" izz=".7" ixy=".01" ixz=".02" iyz=".03"/></inertial>{URDF_SHAPES}</link>
<joint name="j" type="revolute"><origin xyz="1 0 0" quat_xyzw=".6 .8 0 0"/><parent link="a"/><child link="b"/>
<axis xyz="0 1 0"/><limit lower="-1" upper="2" effort="3" velocity="4"/><dynamics damping="1" friction="2"/>
<mimic joint="k" multiplier="2" offset=".1"/></joint>
<link name="c"/><joint name="k" type="prismatic"><parent link="a"/><child link="c"/></joint>
<transmission name="t"><joint name="j">{REDUCTION}</joint><actuator/></transmission><transmission name="c"/>
<ros2_control><transmission name="u"><joint name="k"><mechanical_reduction>3</mechanical_reduction></joint><actuator/>
</transmission></ros2_control><gazebo reference="j"><springStiffness>5</springStiffness><springReference>.1
</springReference></gazebo></robot>""",
        *(
            f"""<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="revolute"><parent link="a"/>
<child link="b"/></joint><transmission><joint name="j"/>{gear}</transmission></robot>"""
            for gear in (f"<actuator>{REDUCTION}</actuator>", f"<actuator/>{REDUCTION}")
        ),
    ),
}


def removed(text: str) -> Iterator[tuple[tuple[str, str], str]]:
    """A text without one of its elements or attributes, with the name of that and of its element; for each of them."""
    root = fromstring(text)
    for element in list(root.iter()):
        for name, value in list(element.attrib.items()):
            del element.attrib[name]
            yield (element.tag, f"@{name}"), tostring(root, encoding="unicode")
            element.set(name, value)
        for k, child in enumerate(list(element)):
            element.remove(child)
            yield (element.tag, child.tag), tostring(root, encoding="unicode")
            element.insert(k, child)


def recorded(method: str) -> Any:
    """A method of `Tag` that notes the attribute of which it is asked."""

    def ask(self: Any, attribute: str, *args: Any, **kwargs: Any) -> Any:
        self.asked.add((self.tag, f"@{attribute}"))
        return getattr(Tag, method)(self, attribute, *args, **kwargs)

    return ask


class Recorded(Tag):
    """An element that notes what is asked of it."""

    asked: ClassVar[set[tuple[str, str]]] = set()
    number, numbers, text, vector = map(recorded, ("number", "numbers", "text", "vector"))

    def elements(self, tag: str) -> list[Element]:
        self.asked.add((self.tag, tag))
        return super().elements(tag)

    def all_children(self) -> list[Tag]:
        children = super().all_children()
        self.asked.update((self.tag, child.tag) for child in children)
        return children

    def texts(self, *attributes: str) -> list[str | None]:
        self.asked.update((self.tag, f"@{attribute}") for attribute in attributes)
        return super().texts(*attributes)


def names_of(grammar: Kind, tag: str) -> set[tuple[str, str]]:
    """All names of a table, with the element that has them."""
    pending, names, seen = [(tag, grammar)], set(), set()
    while pending:
        tag, kind = pending.pop()
        if (tag, id(kind)) in seen:
            continue
        seen.add((tag, id(kind)))
        names |= {(tag, f"@{name}") for name in kind.read} | {(tag, name) for name in kind.children}
        pending += [*kind.children.items(), *((tag, each) for each in kind.variants.values())]
    return names


NAMES = {"urdf": names_of(ROBOT, "robot"), "sdf": names_of(SDF, "sdf")}
IN_VAIN = {("sdf", x) for x in ("gravity", "joint", "frame")}
IN_VAIN |= {("frame", "parent"), ("frame", "child"), ("joint", "@attached_to")}
"""What one reader asks of files as of worlds, and of frames as of joints."""


@pytest.mark.parametrize("file_format", FULL)
def test_tables_hold_what_the_readers_ask_for(file_format: str) -> None:
    """No more and no less: a name that a reader asks for stands in its table, and the other way round."""
    Recorded.asked.clear()
    for text in FULL[file_format]:
        source = opened(text)
        plain = parse(source, "a file")
        root = Recorded(plain.element, plain.where)
        with suppress(ModelError):  # of models that reading refuses in the end
            if file_format == "sdf":
                read_sdf(root, source, "fixed")
            elif (parts := read_urdf(root, source).parts) is not None:
                parts(True)
    assert Recorded.asked == NAMES[file_format] | (IN_VAIN if file_format == "sdf" else set())


@pytest.mark.parametrize("file_format", FULL)
def test_every_name_that_is_read_changes_the_robot(file_format: str) -> None:
    """Or the file is refused without them."""
    pending = NAMES[file_format] - REPORTED
    for text in FULL[file_format]:
        whole, _ = outcome(text)
        for name, without in removed(text):
            if name in pending and outcome(without)[0] != whole:
                pending.remove(name)
    assert not pending
