"""What an undefined short form means: the senses of a dictionary, the context of an article, and the choice."""
