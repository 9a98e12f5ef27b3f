"""Check a log against its robot: units, signs, sizes, exchanged joints, clocks, contacts, missing data."""
