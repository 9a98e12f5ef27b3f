"""Recursions as the declarations of compiled functions want them."""
