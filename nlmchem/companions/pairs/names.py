"""What the lexicon knows about the names and concepts of pairs: chemicals, and other concepts such as diseases."""

from __future__ import annotations

from sieves.lexicon.lexicon import Lexicon


class LexiconNames:
    """Names and relations of a lexicon, for `grouping.py` and for the solver."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._concepts: dict[str, frozenset[str]] = {}
        self._above: dict[str, frozenset[str]] = {}

    def concepts(self, name: str) -> frozenset[str]:
        """The concepts with a name, in any spelling; chemicals if there are any."""
        if name not in self._concepts:
            lexicon = self._lexicon
            matches = lexicon.lookup(name, external=False) or lexicon.elsewhere(name)
            self._concepts[name] = frozenset(match.identifier for match in matches)
        return self._concepts[name]

    def related(self, concept1: str, concept2: str) -> bool:
        """Whether one concept is broader than the other."""
        return concept1 in self.above(concept2) or concept2 in self.above(concept1)

    def above(self, identifier: str) -> frozenset[str]:
        """All broader concepts: headings above a descriptor, headings of a supplementary record and those above."""
        if identifier not in self._above:
            ancestors: dict[str, None] = {}
            pending = [identifier]
            while pending:
                for parent in self._lexicon.parents(pending.pop()):
                    if parent not in ancestors:
                        ancestors[parent] = None
                        pending.append(parent)
            self._above[identifier] = frozenset(ancestors)
        return self._above[identifier]
