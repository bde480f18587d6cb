"""Which concepts a query means: a name, an identifier, or a branch of MeSH."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from corpora.errors import ConfigurationError, shortened
from corpora.model.mesh_ids import mesh_id
from sieves.cascade import Cascade
from sieves.lexicon.lexicon import Lexicon
from sieves.lexicon.looking_up import by_identifier

_TREE = re.compile(r"D\d{2}|[A-Z]\d{2}(\.\d{3})+", re.IGNORECASE)
"""Tree numbers of MeSH. Without a full stop only those of chemicals count: `B12` is a vitamin."""
_ALL = re.compile(r"all\s+(?=\S)", re.IGNORECASE)
_SUGGESTED = 8


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a query means: its concepts in the run, and the answer in words (`Cisplatin (MESH:D002945)`)."""

    words: str
    identifiers: frozenset[str]


def resolve(
    query: str,
    concepts: Sequence[tuple[str, str | None]],
    lexicon: Lexicon,
    below: bool,
) -> Meaning:
    """The concepts of a run that a query means.

    `D02.691` and `all platinum compounds` mean a branch: the concept and those below it; `below`: the query is such a
    branch in any case. `concepts`: identifiers and names of the run. Raises `ConfigurationError` for a query that means
    nothing, with names of the run that are like it.
    """
    query = " ".join(query.split())
    if not query:
        raise ConfigurationError("the query is empty; name a chemical, an identifier, or a tree number of MeSH")
    if _TREE.fullmatch(query):
        branch = query.upper()
        return Meaning(f"the branch {branch} of MeSH", _inside(concepts, (branch,), lexicon))
    name = _ALL.sub("", query, count=1)
    below = below or name != query
    identifiers = _named(name, concepts, lexicon)
    if identifiers is None:
        raise ConfigurationError(_unknown(query, concepts))
    words = " and ".join(f"{lexicon.preferred_name(id) or _name(id, concepts) or '?'} ({id})" for id in identifiers)
    if not below:
        return Meaning(words, frozenset(identifiers))
    trees = tuple(tree for id in identifiers for tree in lexicon.trees(id))
    if not trees:
        raise ConfigurationError(f"{words} has no place in the tree of MeSH; search for it without what is below it")
    return Meaning(f"{words} and what is below", frozenset(identifiers) | _inside(concepts, trees, lexicon))


def _named(query: str, concepts: Sequence[tuple[str, str | None]], lexicon: Lexicon) -> tuple[str, ...] | None:
    """The concepts with an identifier or a name: as the run has them, else by the sieves."""
    by_id = {identifier.casefold(): identifier for identifier, _ in concepts}
    wanted = mesh_id(query.upper()) or query
    if wanted.casefold() in by_id:
        return (by_id[wanted.casefold()],)
    if concepts_with_it := by_identifier(lexicon, query):
        return tuple(identifier for match, _ in concepts_with_it for identifier in match.identifiers)
    same = [identifier for identifier, name in concepts if name and name.casefold() == query.casefold()]
    if same:
        return tuple(same)
    answer = Cascade(lexicon).resolve(query)
    return None if answer is None else answer.identifiers


def _inside(concepts: Iterable[tuple[str, str | None]], trees: Sequence[str], lexicon: Lexicon) -> frozenset[str]:
    """The concepts of the run in a branch; a supplementary record is where its headings are."""
    return frozenset(
        identifier
        for identifier, _ in concepts
        if any(place == tree or place.startswith(f"{tree}.") for place in lexicon.trees(identifier) for tree in trees)
    )


def _name(identifier: str, concepts: Iterable[tuple[str, str | None]]) -> str | None:
    return next((name for known, name in concepts if known == identifier), None)


def _unknown(query: str, concepts: Iterable[tuple[str, str | None]]) -> str:
    words = query.casefold().split()
    like = [
        f"{name} ({identifier})"
        for identifier, name in concepts
        if name and any(word in name.casefold() for word in words)
    ]
    known = f"; names of the run with these words: {', '.join(sorted(like)[:_SUGGESTED])}" if like else ""
    advice = "correct it, or use an identifier or a tree number of MeSH"
    return f"{shortened(query)!r} is no name that the lexicon or the run has{known}; {advice}"
