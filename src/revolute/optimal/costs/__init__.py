"""Costs of optimal control: weighted squares of errors, which are functions over any scalar type, with a goal."""
