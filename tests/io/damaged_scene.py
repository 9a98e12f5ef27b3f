"""Whole files to be damaged: SDF with models within and beside it and a gearbox, a table, MJCF with loops."""

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
MJCF = """<mujoco model="m"><compiler angle="radian" meshdir="."/><option gravity="0 0 -9.81"/>
  <default><joint damping=".1" armature=".01"/><geom density="500"/></default>
  <worldbody><site name="t" pos="1 0 0"/>
    <body name="b1" pos="0 0 1" euler=".1 .2 .3"><joint name="j1" axis="0 1 0" range="-1 2" stiffness="3"/>
      <geom type="box" size=".1 .2 .3"/>
      <body name="b2" pos=".5 0 0"><joint name="j2" type="slide" axis="1 0 0" ref=".1" actuatorfrcrange="-2 1"/>
        <geom type="sphere" size=".1"/><site name="s" pos="0 0 .1"/></body></body>
    <body name="b3"><freejoint/><inertial pos="0 0 0" mass="2" diaginertia=".1 .1 .1"/>
      <body name="b4"><joint type="ball"/><geom type="capsule" fromto="0 0 0 0 0 .3" size=".05"/></body></body>
  </worldbody><equality><connect body1="b2" body2="b3" anchor="0 0 .1"/><weld site1="s" site2="t"/>
    <joint joint1="j1" joint2="j2" polycoef="0 2 0 0 0"/></equality></mujoco>
"""
DH = """joint,a [mm],alpha [deg],d,theta,mass,x,y,z,Ixx,Iyy,Izz,Ixy,Ixz,Iyz,lower,upper,velocity,effort
R,431.8,90,0,0,17.4,-0.3638,0.006,0.2275,0.13,0.524,0.539,0,0,0,-2,2,3,50
P,-20.3,-90,0.15,0.1,4.8,-0.0203,-0.0141,0.07,0.066,0.086,0.0125,0,0,0,0,1,1,100
revolute,0,0,0.4331,0,0.82,0,0.019,0,0.0018,0.0013,0.0018,0.0001,0.0002,0.0003,,,,
"""
