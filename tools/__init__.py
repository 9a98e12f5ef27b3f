"""What developers run: pages made from the source, measures of the tests."""
