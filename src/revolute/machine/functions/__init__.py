"""Recursions in the form that declarations call: model and arrays in, scalars out."""
