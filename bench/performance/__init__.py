"""`python -m bench.performance`: the pages and plots of docs/performance/, from the tables of bench/*.md."""
