"""Functions of machines in other libraries."""
