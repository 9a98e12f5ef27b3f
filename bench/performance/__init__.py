"""The pages and plots of docs/performance/, from the tables of bench/*.md; nothing is measured."""
