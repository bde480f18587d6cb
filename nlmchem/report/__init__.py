"""Pages for people: one article with its mentions, and an evaluation with its figures."""
