"""The report on a fit: one HTML file."""

from revolute.identification.report.page import page, save_report

__all__ = ["page", "save_report"]
