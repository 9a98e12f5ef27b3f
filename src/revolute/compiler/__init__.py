"""From a function to machine code that NumPy calls: kernels, batches, fast calls, the cache on disk."""
