"""The typed view on a BioC document: mentions, sections, offsets, votes, and the MeSH hierarchy."""
