"""Logs: reading, units, signs of columns, gaps, filters, derivatives, resampling, decimation, delays."""
