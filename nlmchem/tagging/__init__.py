"""Where in the text a chemical is named."""
