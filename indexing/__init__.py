"""An annotated article becomes ranked MeSH concepts; `learning` has the models of all packages."""

__all__: list[str] = []
