"""The inertia of a uniform box, by triple integrals. SHV ex. 6.3."""

import sympy

from revolute.spatial.scalar import Expression


def uniform_box(mass: Expression, length: Expression, width: Expression, height: Expression) -> sympy.Matrix:
    """(3, 3) inertia of a uniform box about its centre [kg m^2]. SHV ex. 6.3.

        Ixx = rho int int int (y^2 + z^2) dx dy dz = m (b^2 + c^2) / 12,    Ixy = -rho int int int x y dx dy dz = 0

    Args:
        mass: m = rho a b c [kg].
        length, width, height: edge lengths a, b, c along x, y, z [m].

    Example:
        >>> import sympy
        >>> from revolute.library import examples
        >>> examples.uniform_box(*sympy.symbols("m a b c"))[0, 0]
        m*(b**2 + c**2)/12
    """
    sides = [sympy.sympify(side) for side in (length, width, height)]
    r = sympy.Matrix(sympy.symbols("x y z"))
    integrand = (mass / sympy.prod(sides)) * (r.dot(r) * sympy.eye(3) - r * r.T)
    spans = [(x, -side / 2, side / 2) for x, side in zip(r, sides, strict=True)]
    return integrand.applyfunc(lambda entry: sympy.factor(sympy.integrate(entry, *spans)))
