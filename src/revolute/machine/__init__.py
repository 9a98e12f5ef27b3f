"""Things with compiled functions: robots, driven, constrained and elastic ones, Lagrangian systems."""
