"""Other ways to write a name: parts removed, words reordered, lists split."""
