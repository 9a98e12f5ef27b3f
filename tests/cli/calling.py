"""Commands of Revolute, called in this process, and a robot in a file for them."""

from typer.testing import CliRunner

from revolute.cli.app import app

CART = """
<robot name="cart">
  <link name="base"/>
  <joint name="rail" type="prismatic">
    <parent link="base"/> <child link="cart"/> <axis xyz="1 0 0"/>
    <limit lower="-1" upper="1" velocity="2" effort="30"/>
  </joint>
  <link name="cart">
    <inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="hinge" type="continuous"><parent link="cart"/> <child link="pole"/> <axis xyz="0 1 0"/></joint>
  <link name="pole">
    <inertial>
      <origin xyz="0 0 0.5"/> <mass value="1"/>
      <inertia ixx="0.1" iyy="0.1" izz="0.01" ixy="0" ixz="0" iyz="0"/>
    </inertial>
  </link>
</robot>"""


def driven_cart(damping: float, friction: float, multiplier: float) -> str:
    """`CART` with friction on its rail, and a pole that follows it."""
    friction_of_rail = f'effort="30"/> <dynamics damping="{damping}" friction="{friction}"/>'
    mimic = f'<axis xyz="0 1 0"/> <mimic joint="rail" multiplier="{multiplier}" offset="0.5"/>'
    return CART.replace('effort="30"/>', friction_of_rail).replace('<axis xyz="0 1 0"/>', mimic)


def run(*words: object, status: int = 0, given: str | bytes | None = None) -> tuple[str, str]:
    """What a command prints on stdout and stderr."""
    result = CliRunner().invoke(app, [str(word) for word in words], input=given)
    assert result.exit_code == status, result.output
    return result.stdout, result.stderr


def invoke(*words: object, status: int = 0, given: str | bytes | None = None) -> str:
    """What a command prints on stdout, or on stderr if it is meant to fail."""
    return run(*words, status=status, given=given)[status != 0]
