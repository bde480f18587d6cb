"""The share of gold index terms among the candidates, and the reasons for missing ones.

    python benchmarks/indexing/ceiling.py annotated --lexicon mesh.sqlite --mesh mesh.sqlite --data ../shared/data

`--lexicon` is the lexicon of the annotation (default: the starter lexicon). The names of `--mesh`, a lexicon of all of
MeSH, are searched in the texts. The reason for a missing term is the first of these:

    record              it is no candidate, but a supplementary record among the candidates maps to it;
    not named           no name of it occurs in the text, in any case and punctuation;
    not in the lexicon  the lexicon of the run does not have the concept;
    not tagged          no mention has one of its names as its text;
    linked otherwise    such a mention has other identifiers or none.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter, defaultdict
from pathlib import Path

from crossvalidation import read_gold

import corpora
from corpora.model.document import mentions
from corpora.model.mesh_ids import is_descriptor
from corpora.model.metadata import join_key
from corpora.model.passages import passage_text
from indexing.candidates import PLACES, candidates_of
from indexing.headings import records_of
from sieves.lexicon.keys import relaxed
from sieves.lexicon.lexicon import Lexicon

REASONS = ("found", "record", "not named", "not in the lexicon", "not tagged", "linked otherwise")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("annotated", type=Path)
    parser.add_argument("--lexicon")
    parser.add_argument("--mesh", required=True)
    parser.add_argument("--data", type=Path, required=True)
    given = parser.parse_args()
    gold = read_gold(given.data / "indexing" / "gold.jsonl")
    concepts = Lexicon.open(given.lexicon)
    names = names_of(frozenset().union(*gold.values()), Lexicon.open(given.mesh))
    found: Counter[str] = Counter()
    candidates = headings = in_abstract = 0
    for document in corpora.read(str(given.annotated)):
        terms = gold[join_key(document)]
        article = candidates_of(document, concepts)
        candidates += len(article.candidates)
        front = {c.identifier for c in article.candidates if any(c.counts[PLACES.index(p)] for p in PLACES[:2])}
        in_abstract += len(terms & front)
        there = {candidate.identifier for candidate in article.candidates}
        brought = records_of(article, concepts).keys() - there
        headings += len(brought)
        text = " ".join(words(passage_text(passage)) for passage in document.passages)
        surfaces = {words(mention.text) for mention in mentions(document)}
        for term in terms:
            why = "record" if term in brought else reason(term, there, f" {text} ", surfaces, names, concepts)
            found[why] += 1
    total = sum(found.values())
    records = [(terms, term) for terms in gold.values() for term in terms if not is_descriptor(term)]
    beside = sum(not terms.isdisjoint(concepts.parents(term)) for terms, term in records)
    print(f"{len(records)} terms are supplementary records, {beside} of them beside a heading that they map to")
    print(f"{total} terms, {candidates} candidates in {len(gold)} articles, and {headings} headings of records")
    print(f"{in_abstract} terms in title or abstract")
    for name in REASONS:
        print(f"{name:20}{found[name]:5}{found[name] / total:8.3f}")


def names_of(identifiers: frozenset[str], mesh: Lexicon) -> dict[str, set[str]]:
    """The words of all names of the concepts."""
    found: dict[str, set[str]] = defaultdict(set)
    for name, identifier in mesh.names(distance=2):
        if identifier in identifiers and len(name) > 2:
            found[identifier].add(words(name))
    return found


def words(text: str) -> str:
    """The words of a text in lower case and one spelling, separated by single spaces."""
    return " ".join(relaxed(word) for word in re.findall(r"[^\W_]+", text))


def reason(
    term: str, there: set[str], text: str, surfaces: set[str], names: dict[str, set[str]], concepts: Lexicon
) -> str:
    """Whether a term is among the candidates, or the reason why not."""
    if term in there:
        return "found"
    own = names.get(term, set())
    if not any(f" {name} " in text for name in own):
        return "not named"
    if concepts.preferred_name(term) is None:
        return "not in the lexicon"
    return "linked otherwise" if own & surfaces else "not tagged"


if __name__ == "__main__":
    main()
