"""From functions to machine code called by NumPy: kernels, batches, fast calls, the cache on disk."""
