"""Word-in-context pairs: what a pair is, its file formats, and how pairs are made from a linked corpus."""
