"""What people do with corpora: splits, leaks, statistics, checks of identifiers."""
