"""Functions of machines in PyTorch, and modules with trainable parameters.

    f = robot.torch.inverse_dynamics                             # tensors in, tensors out, with gradients
    f = robot.torch("inverse_dynamics", parameters="inertial")   # inertial parameters are an input
    bodies = revolute.torch.InertialParameters(robot)            # a module with physically consistent values
"""

from typing import TYPE_CHECKING, Any

from revolute.bridges.torch.functions import TorchFunction, TorchFunctions

if TYPE_CHECKING:
    from revolute.bridges.torch.inertial import InertialParameters

__all__ = ["InertialParameters", "TorchFunction", "TorchFunctions"]


def __getattr__(name: str) -> Any:
    """Import `InertialParameters`, which needs PyTorch, on first use."""
    if name == "InertialParameters":
        from revolute.bridges.torch.inertial import InertialParameters

        return InertialParameters
    raise AttributeError(f"module 'revolute.torch' has no attribute {name!r}")
