"""Uses the other mentions of an article: to choose among concepts, and for mentions without an answer."""
