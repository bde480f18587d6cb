"""JATS, the XML format of PubMed Central and of publishers. It is only read."""
