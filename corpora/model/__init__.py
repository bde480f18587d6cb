"""The typed view on a BioC document, and what is true of documents, sections, offsets and MeSH ids in every format."""
