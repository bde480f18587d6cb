"""An annotated article becomes a ranked list of the MeSH concepts that it is about."""
