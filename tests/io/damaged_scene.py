"""An SDF file with a nested model, an included one, a gearbox and shapes, and what is damaged in it."""

__all__ = ["DH", "LOOPS", "PART", "REFUSED", "SCENE", "TOLD", "Row"]

Row = tuple[str, str, str, str]
"""File, text that is replaced, text in its place, words of the message."""

SCENE = """<sdf version="1.9"><model name="arm">
  <link name="base">
    <inertial><mass>2</mass></inertial>
    <visual name="v">
      <pose relative_to="stand">0 0 0 0 0 0</pose>
      <geometry><box><size>1 1 1</size></box></geometry>
      <material><diffuse>1 0 0 1</diffuse></material>
      <transparency>0.5</transparency>
    </visual>
    <collision name="c"><geometry><cylinder><radius>0.1</radius><length>2</length></cylinder></geometry></collision>
    <visual name="w"><geometry><mesh><uri>a.stl</uri><scale>1 1 1</scale></mesh></geometry></visual>
    <visual name="p"><geometry><plane><normal>0 0 1</normal><size>3 4</size></plane></geometry></visual>
  </link>
  <frame name="stand"/>
  <model name="tool" placement_frame="grip" canonical_link="palm">
    <pose relative_to="stand">0 0 1 0 0 0</pose>
    <link name="palm"><inertial><mass>1</mass></inertial></link>
    <frame name="grip" attached_to="palm"/>
  </model>
  <include merge="false">
    <uri>part.sdf</uri>
    <name>hand</name>
    <pose relative_to="tool::grip">0 0 2 0 0 0</pose>
    <placement_frame>socket</placement_frame>
  </include>
  <joint name="swivel" type="revolute">
    <parent>base</parent><child>tool::palm</child><axis><xyz>0 0 1</xyz></axis></joint>
  <joint name="rotor" type="revolute">
    <parent>base</parent><child>hand::body</child><axis><xyz>0 0 1</xyz></axis></joint>
  <joint name="gears" type="gearbox">
    <parent>hand::body</parent>
    <child>tool::palm</child>
    <gearbox_ratio>0.1</gearbox_ratio>
    <gearbox_reference_body>base</gearbox_reference_body>
    <axis><xyz>0 0 1</xyz></axis>
    <axis2><xyz>0 0 1</xyz></axis2>
  </joint>
</model></sdf>
"""
PART = """<sdf version="1.9"><model name="part">
  <link name="body"><inertial><mass>1</mass></inertial></link>
  <frame name="socket"/>
</model></sdf>
"""
"""The file that `SCENE` includes."""

DH = """joint,a [mm],alpha [deg],d,theta,mass,x,y,z,Ixx,Iyy,Izz,Ixy,Ixz,Iyz,lower,upper,velocity,effort
R,431.8,90,0,0,17.4,-0.3638,0.006,0.2275,0.13,0.524,0.539,0,0,0,-2,2,3,50
P,-20.3,-90,0.15,0.1,4.8,-0.0203,-0.0141,0.07,0.066,0.086,0.0125,0,0,0,0,1,1,100
revolute,0,0,0.4331,0,0.82,0,0.019,0,0.0018,0.0013,0.0018,0.0001,0.0002,0.0003,,,,
"""
LOOPS = (
    '<equality><connect body1="b2" body2="b3" anchor="0 0 .1"/><weld site1="s" site2="t"/>'
    '<joint joint1="j1" joint2="j2" polycoef="0 2 0 0 0"/></equality>'
)
"""Equality constraints of a model in MJCF."""

REFUSED: list[Row] = [
    ("scene.sdf", 'placement_frame="grip"', 'placement_frame="girp"', "there is no link, joint or frame 'tool::girp'"),
    ("scene.sdf", 'relative_to="stand">0 0 1', 'relative_to="tool::palm">0 0 1', "relative to itself, through a cycle"),
    ("scene.sdf", 'relative_to="stand">0 0 1', 'relative_to="satnd">0 0 1', "there is no link, joint or frame 'satnd'"),
    ("scene.sdf", 'relative_to="tool::grip"', 'relative_to="grip"', "there is no link, joint or frame 'grip'"),
    ("scene.sdf", "<child>hand::body", "<child>part::body", "there is no link, joint or frame 'part::body'"),
    *(("scene.sdf", "part.sdf", new, f"<include> of '{new}': {words}") for new, words in (
        ("prat.sdf", "not found from"), ("model://prat", "not found from"), ("", "its <uri> is empty"),
        ("file:///none/part.sdf", "not found from"), ("http://a.org/part", "http:// is not supported; store the model"),
        ("scene.sdf", "the file includes itself: "), ("modle://part", "modle:// is not supported"),
    )),
    ("scene.sdf", 'merge="false"', 'merge="maybe"', "<include> has merge='maybe': it must be true or false"),
    ("scene.sdf", "<placement_frame>socket", "<placement_frame>scoket", "there is no link, joint or frame 'hand::scok"),
    ("scene.sdf", "<gearbox_ratio>0.1", "<gearbox_ratio>inf", "joint 'gears': <gearbox_ratio> has text='inf'"),
    ("scene.sdf", "<axis2><xyz>0 0 1", "<axis2><xyz>1 0 0", "joint 'gears': its <axis2> is not along the axis of join"),
    ("scene.sdf", "axis2>", "axsi2>", "joint 'gears': <axis2> is missing"),
    ("scene.sdf", "<parent>hand::body", "<parent>tool::palm", "joint 'gears': its parent and child are the same link"),
]  # fmt: skip
TOLD: list[Row] = [
    ("scene.sdf", 'relative_to="stand">0 0 0', 'relative_to="satnd">0 0 0', "there is no link, joint or frame 'satnd'"),
    *(("scene.sdf", tag, new, f"<{new}> in <{owner}> is not read; the nearest name is <{tag}>")
      for tag, new, owner in (
          ("visual", "visaul", "link"), ("collision", "colision", "link"), ("geometry", "geometri", "visual"),
          ("material", "materail", "visual"), ("diffuse", "difuse", "material"), ("scale", "scael", "mesh"),
          ("normal", "nromal", "plane"), ("transparency", "transparancy", "visual"),
      )),
    ("scene.sdf", "gearbox_ratio>", "gearbox_ratoi>", "<gearbox_ratoi> in <joint> is not read; the nearest name"),
    ("scene.sdf", "<placement_frame>socket</placement_frame>", "<placement_farme/>", "<placement_farme> in <include> "),
    ("scene.sdf", 'merge="false"', 'marge="false"', "attribute 'marge' of <include> is not read; the nearest name is "),
    ("scene.sdf", 'placement_frame="grip"', 'placement_fram="grip"', "attribute 'placement_fram' of <model> is not re"),
    ("scene.sdf", 'canonical_link="palm"', 'canonical_lnk="palm"', "attribute 'canonical_lnk' of <model> is not read;"),
    ("scene.sdf", "<uri>part.sdf</uri>", "<uri>part.sdf</uri><static>true</static>", "model 'hand': it is <static>"),
    ("scene.sdf", "box>", "bocks>", "<bocks> in <geometry> is not read; elements that are read in <geometry>: box, ca"),
    ("scene.sdf", "<axis2><xyz>0 0 1</xyz>", "<axis2><xyz>0 0 1</xyz><limit>1</limit>", "<limit> in <axis2> is n"),
    ("scene.sdf", "</include>", "<psoe/></include>", "<psoe> in <include> is not read; the nearest name is <pose>"),
]  # fmt: skip
