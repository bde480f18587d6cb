"""Systems of the founding papers that do not ship: one script and one figure for each."""
