"""The methods of `Robot` that compute: a file a group, each a thin face over kernels."""
