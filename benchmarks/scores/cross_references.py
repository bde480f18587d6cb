"""Measures the identifiers of ChEBI and PubChem beside those of MeSH: how many mentions have one, how many are right.

    nlmchem annotate ARTICLES -o RUN --xrefs
    python -m benchmarks.scores.cross_references RUN                      # a run of `annotate --xrefs`
    python -m benchmarks.scores.cross_references GOLD --lexicon-of-gold   # gold identifiers of MeSH, as of --as-of
    python -m benchmarks.scores.cross_references RUN --craft GOLD         # gold identifiers of ChEBI

Coverage: the share of the mentions with a MeSH identifier, and of all chemical mentions, that have an identifier of the
database. `--craft`: of the mentions that both mark with the same span, how many have an identifier of ChEBI that is
the gold one; a mention with several is right if all are; and the share of the gold mentions that get any.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence

import corpora
from corpora.model.cross_references import DATABASES, cross_reference, set_cross_references
from corpora.model.document import NO_CONCEPT, Mention, mentions
from corpora.model.mesh_ids import mesh_ids
from corpora.reporting import ignore
from sieves.lexicon.cross_references import CrossReferences
from sieves.lexicon.lexicon import Lexicon

SHOWN = 25


def main(arguments: Sequence[str] | None = None) -> dict[str, float]:
    """Run the command. Returns the shares by name."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run")
    parser.add_argument("--lexicon-of-gold", action="store_true", help="look the MeSH identifiers of the file up")
    parser.add_argument("--as-of", type=int, help="the year of the MeSH identifiers of the file")
    parser.add_argument("--craft", help="gold standard with identifiers of ChEBI")
    options = parser.parse_args(arguments)
    found = list(_mentions(options.run))
    if options.lexicon_of_gold:
        with Lexicon.open(as_of=options.as_of) as lexicon:
            references = CrossReferences(lexicon)
            for _, mention in found:
                set_cross_references(mention, references.of_all(mesh_ids(mention.identifiers)))
    shares = coverage([mention for _, mention in found])
    if options.craft is not None:
        shares |= precision(found, list(_mentions(options.craft)))
    return shares


def _mentions(source: str) -> Iterator[tuple[str, Mention]]:
    for document in corpora.read(source, report=ignore):
        for mention in mentions(document):
            yield str(document.id), mention


def coverage(found: Sequence[Mention]) -> dict[str, float]:
    """The shares of mentions with an identifier of each database."""
    linked = [mention for mention in found if mesh_ids(mention.identifiers)]
    print(f"{len(found)} mentions, {len(linked)} with a MeSH identifier")
    shares = {}
    for database in DATABASES:
        number = sum(bool(_others(mention, database)) for mention in found)
        shares[database] = number / max(len(linked), 1)
        print(
            f"{database}: {number}, {shares[database]:.4f} of those with MeSH, {number / max(len(found), 1):.4f} of all"
        )
    missing = Counter(
        mention.identifiers[0] + " " + mention.text.lower() for mention in linked if not _others(mention, "chebi")
    )
    print("without ChEBI, most frequent:", "; ".join(f"{name} {number}" for name, number in missing.most_common(15)))
    return shares


def precision(found: Sequence[tuple[str, Mention]], gold: Sequence[tuple[str, Mention]]) -> dict[str, float]:
    """How often the identifiers of ChEBI equal the gold standard, on mentions with the same span."""
    wanted = {(document, mention.spans): mention for document, mention in gold}
    right, both, wrong = 0, 0, Counter[str]()
    for document, mention in found:
        standard = wanted.get((document, mention.spans))
        ours = _others(mention, "chebi")
        if standard is None or not ours:
            continue
        both += 1
        if ours <= set(standard.identifiers):
            right += 1
        else:
            wrong[f"{mention.text}: {','.join(sorted(ours))}, gold {','.join(standard.identifiers)}"] += 1
    print(f"same span and an identifier of ChEBI: {both}; right {right}, precision {right / max(both, 1):.4f}")
    print(f"share of the {len(gold)} gold mentions: {both / max(len(gold), 1):.4f}")
    for text, number in wrong.most_common(SHOWN):
        print(f"  {number} {text}")
    return {"precision": right / max(both, 1), "gold": both / max(len(gold), 1)}


def _others(mention: Mention, database: str) -> set[str]:
    value = cross_reference(mention, database) or ""
    return {other for part in value.split(",") for other in part.split("|")} - {"", NO_CONCEPT}


if __name__ == "__main__":
    main()
