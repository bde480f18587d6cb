"""Index terms: the concepts that an article is about, chosen among those that it mentions."""
