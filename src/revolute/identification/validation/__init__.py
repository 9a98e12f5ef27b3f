"""Fits on other logs: residuals, their correlation and bias, grades, thresholds of collision detection."""
