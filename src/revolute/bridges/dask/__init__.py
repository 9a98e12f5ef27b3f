"""Functions of machines on Dask's arrays and data frames, and on xarray's arrays."""

from revolute.bridges.dask.functions import DaskFunction, DaskFunctions

__all__ = ["DaskFunction", "DaskFunctions"]
