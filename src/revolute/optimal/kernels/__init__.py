"""The compiled functions of a problem of optimal control."""
