"""What in a log does not fit its robot: units, signs, sizes, exchanged joints, clocks, contacts, holes."""
