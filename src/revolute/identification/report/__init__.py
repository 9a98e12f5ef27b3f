"""The report on a fit: one HTML file."""
