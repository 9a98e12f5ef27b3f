"""The names of SDFormat 1.4 to 1.12: read, irrelevant, or not modelled. http://sdformat.org/spec"""

from revolute.io.grammar import Kind, kind


def texts(names: str) -> dict[str, Kind]:
    """Kinds of elements that contain only text."""
    return dict.fromkeys(names.split(), kind())


POSE = kind("relative_to frame rotation_format degrees")
AXIS = kind(
    children={
        "xyz": kind("expressed_in"),
        "limit": kind(children=texts("lower upper velocity effort stiffness dissipation")),
        "dynamics": kind(children=texts("damping friction spring_stiffness spring_reference")),
        "mimic": kind("joint axis", texts("multiplier offset reference")),
        **texts("use_parent_model_frame"),
    },
    passed="initial_position",
)
ONE_AXIS = {"pose": POSE, "axis": AXIS, **texts("parent child")}
TWO_AXES = {**ONE_AXIS, "axis2": AXIS}
SCREW = texts("thread_pitch screw_thread_pitch")
GEARS = "gearbox_ratio gearbox_reference_body"
GEAR_AXIS = kind(children={"xyz": kind("expressed_in"), **texts("use_parent_model_frame")})
GEARBOX = {"pose": POSE, "axis": GEAR_AXIS, "axis2": GEAR_AXIS, **texts(f"parent child {GEARS}")}
ENGINES = kind(holders={"ode": kind(passed="*", lost="max_force=0")}, passed="*")


def _joint(children: dict[str, Kind], passed: str = "", **variants: Kind) -> Kind:
    return kind("name type", children, passed=f"sensor {passed}", holders={"physics": ENGINES}, variants=variants)


JOINT = _joint(
    {**TWO_AXES, **SCREW},
    GEARS,
    **dict.fromkeys(("revolute", "continuous", "prismatic"), _joint(ONE_AXIS, GEARS)),
    **dict.fromkeys(("ball", "fixed"), _joint({"pose": POSE, **texts("parent child")}, f"axis {GEARS}")),
    screw=_joint({**ONE_AXIS, **SCREW}),
    gearbox=_joint(GEARBOX),
)
GEOMETRY = kind(
    children={
        **{name: kind(children=texts(parts)) for name, parts in (
            ("box", "size"), ("sphere", "radius"), ("cylinder", "radius length"), ("capsule", "radius length"),
            ("ellipsoid", "radii"), ("plane", "normal size"),
        )},
        "mesh": kind(
            children={"submesh": kind(passed="name center"), **texts("uri scale")},
            passed="@optimization convex_decomposition",
        ),
    },
    passed="cone empty heightmap image polyline",
)  # fmt: skip
MATERIAL = kind(
    children=texts("diffuse ambient"),
    passed="double_sided emissive lighting pbr render_order script shader shininess specular",
)
VISUAL = kind(
    "name",
    {"pose": POSE, "geometry": GEOMETRY, "material": MATERIAL, **texts("transparency")},
    passed="cast_shadows laser_retro meta plugin visibility_flags",
)
COLLISION = kind(
    "name",
    {"pose": POSE, "geometry": GEOMETRY},
    passed="auto_inertia_params density laser_retro max_contacts surface",
)
LINK = kind(
    "name",
    {
        "pose": POSE,
        "visual": VISUAL,
        "collision": COLLISION,
        "inertial": kind(
            "auto",
            {"pose": POSE, "inertia": kind(children=texts("ixx iyy izz ixy ixz iyz")), **texts("mass")},
            passed="auto_inertia_params density",
            lost="fluid_added_mass=0",
        ),
        **texts("gravity"),
    },
    passed="audio_sink audio_source battery light must_be_base_link particle_emitter plugin projector self_collide "
    "sensor",
    lost="enable_wind=false kinematic=false velocity_decay=0",
)
INCLUDE = kind(
    "merge", {"pose": POSE, **texts("uri name placement_frame static")}, passed="model_state namespace plugin"
)
FRAME = kind("name attached_to", {"pose": POSE})
MODEL = kind(
    "name canonical_link placement_frame",
    {"pose": POSE, "link": LINK, "joint": JOINT, "frame": FRAME, "include": INCLUDE, **texts("static")},
    passed="@namespace allow_auto_disable gripper model_state plugin self_collide",
    lost="enable_wind=false",
    nested="model",
)
WORLD = kind(
    children={
        "model": MODEL, "include": INCLUDE, "joint": JOINT, "frame": FRAME,
        "physics": kind(children=texts("gravity"), passed="*"), **texts("gravity"),
    },
    passed="@name actor atmosphere audio gui light magnetic_field plugin population road scene "
    "spherical_coordinates state wind",
)  # fmt: skip
SDF = kind("version", {"model": MODEL, "include": INCLUDE, "world": WORLD}, passed="actor light physics state")
