"""MJCF texts that fill the memory, run for hours or end the process are refused before MuJoCo sees them."""

import itertools
import warnings
from pathlib import Path

import mujoco
import pytest
from comparing import assert_raises
from files import written

import revolute
from revolute import ModelError, ModelWarning
from revolute.io.mjcf_limits import NESTED
from revolute.io.mjcf_scan import scanned


def world(before: str = "", inside: str = "", after: str = "") -> str:
    arm = '<body name="a"><joint name="j" axis="0 1 0"/><geom size=".1"/></body>'
    return f"<mujoco>{before}<worldbody>{arm}{inside}</worldbody>{after}</mujoco>"


def asset(text: str) -> str:
    return world(f"<asset>{text}</asset>")


def doubled(times: int) -> str:
    """Bodies, each of which has two copies of the one before."""
    bodies = '<body name="b0"><geom size=".1"/></body>'
    for i in range(1, times):
        copies = "".join(f'<attach body="b{i - 1}" prefix="{x}{i}"/>' for x in "xy")
        bodies += f'<body name="b{i}"><geom size=".1"/>{copies}</body>'
    return world(inside=bodies)


def nested(depth: int) -> str:
    return world(inside='<body><geom size=".1"/>' * depth + "</body>" * depth)


HOSTILE = {
    "hfield": (asset('<hfield name="h" nrow="65536" ncol="65537" size="1 1 1 1"/>'), "nrow='65536' ncol='65537'"),
    "texture": (asset('<texture type="2d" builtin="flat" width="20000" height="20000"/>'), "width='20000'"),
    "cube": (asset('<texture name="t" type="cube" builtin="flat" width="20000"/>'), "width='20000'"),
    "default texture": (
        world('<default><texture width="2000"/></default><asset>' + '<texture builtin="flat"/>' * 4 + "</asset>"),
        "<asset>: with all copies, arrays and files written out, the text exceeds 64 MiB"),
    "mesh": (asset('<mesh name="m" builtin="supersphere" params="10000 1 1"/>'), "params='10000 1 1'"),
    "not a number": (asset('<hfield name="h" nrow="0x7fffffff" ncol="9" size="1 1 1 1"/>'), "nrow='0x7fffffff'"),
    "no resolution": (asset('<mesh name="m" builtin="wedge" params="1 0x7fff 45 45 0"/>'), "params='1 0x7fff"),
    "no step": (world('<compiler><lengthrange timestep="0x1p-30"/></compiler>'), "timestep='0x1p-30'"),
    "no users": (world('<size nuser_body="0x7fffffff" nuser_jnt="1"/>'), "user data"),
    "nkey": (world('<size nkey="2000000000"/>'), "keyframes .<key>, nkey."),
    **{
        name: (world(f'<size {name}="2000000000"/>'), "user data .user, nuser_")
        for name in ("nuser_body", "nuser_jnt", "nuser_geom", "nuser_tendon", "nuser_actuator", "nuser_sensor")
    },
    "nuserdata": (world('<size nuserdata="200000000"/>'), "nuserdata='200000000'"),
    "numeric": (world('<custom><numeric name="n" size="500000000" data="1"/></custom>'), "size='500000000'"),
    "replicate": (world(inside='<replicate count="100000"><site/></replicate>'), "<replicate count='100000'>"),
    "replicates": (world(inside='<replicate count="300"><replicate count="300"><site/></replicate></replicate>'),
        "<replicate count='300'>"),
    "flexcomp": (world(inside='<flexcomp name="f" type="grid" count="300 300 300" spacing="1 1 1"/>'), "count='300 "),
    "layers": (
        world(inside='<flexcomp name="f" type="grid" count="2 2 2" dim="3"><contact activelayers="-1"/></flexcomp>'),
        "activelayers='-1'>: a negative number of layers"),
    "attach": (doubled(30), "<body name='b1[0-9]'>"),
    "attributes": (world().replace("axis=", " ".join(f'a{k}=""' for k in range(40_000)) + " axis="), "than 256 attr"),
    "elements": (world(inside="<site/>" * 60_000), "<worldbody>: .*exceeds 64 MiB"),
    "more elements": (world(inside="<site/>" * 300_000), "more than 52428 elements"),
    "depth": (nested(450), "400 elements around it"),
    "actdim": (world(after='<actuator><general joint="j" actdim="1000000000"/></actuator>'), "actdim='1000000000'"),
    "samples": (world(after='<sensor><clock nsample="100000000"/></sensor>'), "nsample='100000000'"),
    "sensor": (world(after='<sensor><user dim="1000000000"/></sensor>'), "dim='1000000000'"),
    "contact": (world(after='<sensor><contact num="1000000000"/></sensor>'), "num='1000000000'"),
    "camera": (
        world(inside='<camera name="c" resolution="20000 20000"/>', after='<sensor><rangefinder camera="c"/></sensor>'),
        "<rangefinder camera='c'>"),
    "length range": (world('<compiler><lengthrange inttotal="1e9" timestep="1e-3"/></compiler>'), "inttotal='1e9'"),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_are_refused_by_name(name: str) -> None:
    text, words = HOSTILE[name]
    assert_raises(ModelError, f"MJCF text: .*{words}", revolute.load, text)


LARGE = {
    "a terrain": asset('<hfield name="h" nrow="2048" ncol="2048" size="1 1 1 1"/>'),
    "a sky": asset('<texture type="skybox" builtin="gradient" width="512" height="3072"/>' * 5),
    "keyframes": world(after="<keyframe>" + "<key/>" * 5000 + "</keyframe>"),
    "copies": world(inside='<replicate count="1000"><site/></replicate>'),
    "doubled": doubled(6),
    "deep": nested(150),
    "a built-in mesh": asset('<mesh name="m" builtin="wedge" params="37 37 45 45 0"/>'),
    "cameras": world(inside='<camera resolution="4096 2160"/>' * 20),
}


@pytest.mark.parametrize("name", LARGE)
def test_large_models_are_read(name: str) -> None:
    assert revolute.load(LARGE[name]).nv == 1


def test_errors_of_mujoco_are_ours() -> None:
    text = world('<size memory="1E"/>')
    assert_raises(ModelError, "MJCF text: MuJoCo cannot compile it", revolute.load, text)


PART = '<mujocoinclude><asset><hfield name="h" nrow="65536" ncol="65537" size="1 1 1 1"/></asset></mujocoinclude>'


def test_included_and_attached_files_are_measured(tmp_path: Path) -> None:
    """Included files lie in the folder of the main file, or in that of the file that includes them."""
    (tmp_path / "deeper").mkdir()
    written(tmp_path / "deeper" / "part.xml", PART)
    written(tmp_path / "deeper" / "middle.xml", '<mujocoinclude><INCLUDE file="part.xml"/></mujocoinclude>')
    written(tmp_path / "attached.xml", world('<include file="deeper/part.xml"/>'))
    written(tmp_path / "self.xml", asset('<model name="m" file="self.xml"/>'))
    files = {
        "include": ('<include file="deeper/middle.xml"/>', "<hfield .*nrow='65536'"),
        "model": ('<asset><model name="m" file="attached.xml"/></asset>', "<hfield .*nrow='65536'"),
        "endless": ('<asset><model name="m" file="self.xml"/></asset>', "<model .*files in files"),
    }
    for name, (before, words) in files.items():
        path = written(tmp_path / f"{name}.xml", world(before))
        assert_raises(ModelError, rf"{name}\.xml: {words}", revolute.load, path)


def test_files_in_files_have_a_maximum_depth(tmp_path: Path) -> None:
    for k in range(1, NESTED):
        written(tmp_path / f"{k}.xml", f'<mujocoinclude><include file="{k + 1}.xml"/></mujocoinclude>')
    written(tmp_path / f"{NESTED}.xml", "<mujocoinclude><option/></mujocoinclude>")
    assert revolute.load(written(tmp_path / "main.xml", world('<include file="2.xml"/>'))).nv == 1
    path = written(tmp_path / "deep.xml", world('<include file="1.xml"/>'))
    assert_raises(ModelError, r"deep\.xml: <include .*files in files", revolute.load, path)


def test_attached_models_are_read_whatever_the_order(tmp_path: Path) -> None:
    palm = '<worldbody><body name="palm"><geom size=".1"/></body></worldbody>'
    sky = '<asset><texture type="skybox" builtin="flat" width="2048"/></asset>'  # copies share it
    written(tmp_path / "hand.xml", f'<mujoco model="hand">{sky}{palm}</mujoco>')
    hands = "".join(f'<attach model="hand" body="palm" prefix="{side}_"/>' for side in ("left", "middle", "right"))
    path = written(tmp_path / "arm.xml", world(inside=hands, after='<asset><model file="hand.xml"/></asset>'))
    assert {"left_palm", "right_palm"} <= set(revolute.load(path).link_names)


LENIENT = {
    "no blank": world().replace('<geom size=".1"', '<geom type="box"size=".1 .1 .1"'),
    "end tag after the root": world() + "\n</mujoco>",
    "root after the root": world() + "<mujoco/>",
    "bare &": world().replace("<mujoco", '<mujoco model="a & b"'),
    "unknown entity": world().replace("<mujoco", '<mujoco model="a &foo; b"'),
    "bare <": world().replace("<mujoco", '<mujoco model="a<b"'),
    "dashes in a comment": world("<!-- a -- b -->"),
    "two declarations": '<?xml version="1.0"?><?xml version="1.0"?>' + world(),
    "blank before the root": world().replace("<mujoco", "< mujoco", 1),
    "Latin-1": world().replace("<mujoco", '<mujoco model="\xe9"').encode("latin-1"),
}


@pytest.mark.parametrize("name", LENIENT)
def test_xml_that_mujoco_reads_is_read(name: str, tmp_path: Path) -> None:
    text, path = LENIENT[name], tmp_path / "a.xml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    assert revolute.load(path).nv == mujoco.MjModel.from_xml_path(str(path)).nv == 1


@pytest.mark.parametrize("text", [
    "<!DOCTYPE m>" + world(), world("<!DOCTYPE m>"), world(inside='<geom size=".1"size=".1"/>'), world() + "&" + "<a",
    world("<!-- "), "<mujoco><a></b></mujoco>", "<mujoco", "<mujoco a=b/>", world("<!X>"),
])  # fmt: skip
def test_broken_xml_is_refused(text: str) -> None:
    assert_raises(ModelError, "MJCF text|URDF text", revolute.load, text)


def test_the_scanner_reads_escapes_as_mujoco_does() -> None:
    values = ("a&lt;b", "&#65;&#x42;", "&quot;&apos;&amp;&gt;", "&copy;&;&#xFFFFFFFF;", "a\tb")
    for value, quote in itertools.product(values, "\"'"):
        text = world().replace("<mujoco", f"<mujoco model={quote}{value}{quote}")
        root = scanned(text)
        assert root is not None
        assert root.get("model") == mujoco.MjSpec.from_string(text).modelname


def test_many_similar_warnings_are_one() -> None:
    ties = "".join(f'<tendon name="e{k}" tendon1="t"/>' for k in range(30))
    tendon = '<tendon><fixed name="t"><joint joint="j" coef="1"/></fixed></tendon>'
    text = world(after=f"{tendon}<equality>{ties}</equality>")
    with pytest.warns(ModelWarning) as caught:
        revolute.load(text)
    (said,) = [str(x.message) for x in caught]
    assert "'e0': constraints of type tendon are not supported; and 29 more warnings like this, of 'e1', 'e2'" in said
    few = text.replace(ties, ties[: ties.index('<tendon name="e3"')])
    with warnings.catch_warnings(record=True) as caught_few:
        warnings.simplefilter("always")
        revolute.load(few)
    assert len(caught_few) == 3
