"""JATS, the XML of PubMed Central and of publishers: read only."""
