"""The built site in a real browser: `python -m tools.site_check site`.

It needs Chromium, and `pip install '.[site]'`: Playwright to drive it, and axe-core to look for what people with
other eyes cannot read.
"""

from tools.site_check.browser import CHROMIUM, opened
from tools.site_check.pages import faults_of_page
from tools.site_check.search import faults_of_search

__all__ = ["CHROMIUM", "faults_of_page", "faults_of_search", "opened"]
