"""What many rooms need of the words of a text."""
