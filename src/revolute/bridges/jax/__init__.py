"""Functions of machines in JAX."""

from revolute.bridges.jax.functions import JaxFunctions

__all__ = ["JaxFunctions"]
