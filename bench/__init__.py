"""Revolute beside Pinocchio and MuJoCo: `python -m bench.run` writes `bench/RESULTS.md`."""
