"""Recursions in the form that declarations need: functions of a model and arrays that return scalars."""
