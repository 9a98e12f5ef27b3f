"""Validation of fits on other logs: residuals, their correlation and bias, grades, collision thresholds."""
