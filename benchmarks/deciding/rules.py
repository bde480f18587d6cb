"""What each rule of the tagger is worth with and without a decision: strict F of spans without the rule.

    python benchmarks/deciding/rules.py RECORDS --sets bc5cdr-test [--model decision.json] [--number 100]

The spans are decoded again from the recorded probabilities, so records of one model are needed. Compound codes and
the starter lexicon are those of the package.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from pathlib import Path

from scoring import Record, f1, read, span_tally

from corpora.model.document import definitions
from nlmchem.deciding.decision import Decision
from nlmchem.deciding.evidence import FEATURES
from nlmchem.deciding.knowledge import Knowledge
from nlmchem.deciding.training import Tagged
from nlmchem.deciding.trees import read_trees
from nlmchem.tagging.inference.decoding import best_roles
from nlmchem.tagging.inference.spans import PassageSpans
from nlmchem.tagging.inference.voting import spans_of
from nlmchem.tagging.lexicon.votes import starter_votes
from nlmchem.tagging.models.labels import Scheme
from nlmchem.tagging.rules.post_processing import PostProcessing, post_process
from nlmchem.tagging.tokenization.word_pieces import _glued as glued
from sieves.lexicon.lexicon import Lexicon


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", type=Path)
    parser.add_argument("--sets", default="bc5cdr-test")
    parser.add_argument("--model", type=Path)
    parser.add_argument("--number", type=int)
    given = parser.parse_args()
    names = [field.name for field in fields(PostProcessing)]
    switches = {"all rules": PostProcessing()}
    switches |= {f"without {name}": replace(PostProcessing(), **{name: False}) for name in names}
    switches["no rules"] = PostProcessing.parse("none")
    with Lexicon.open(None) as lexicon:
        decisions: dict[str, Knowledge | Decision | None] = {"rules": None, "knowledge": Knowledge(lexicon)}
        if given.model:
            decisions["learnt"] = Decision(lexicon, read_trees(given.model, FEATURES))
        for name in given.sets.split(","):
            records = [decoded(record) for record in read(given.records / f"{name}.jsonl.gz", given.number)]
            for way, chosen in switches.items():
                scores = [f"{_score(records, chosen, decide):.4f}" for decide in decisions.values()]
                print(name, way, *(f"{a} {b}" for a, b in zip(decisions, scores, strict=True)), sep="\t", flush=True)


def decoded(record: Record) -> Record:
    """The record with the spans of the model alone."""
    for passage in record.passages:
        (scored,) = passage.scored
        encoded = replace(scored.encoded, glued=glued(passage.text, scored.encoded.starts, scored.encoded.ends))
        roles = best_roles(scored.probabilities, encoded.glued, Scheme.BIO)
        passage.scored = [replace(scored, encoded=encoded, roles=roles)]
        passage.spans = spans_of(passage.scored[0])
    return record


def tagged(records: Path, rules: str) -> Iterator[Tagged]:
    """The articles with the spans that the model and these rules (`--rules` of `nlmchem annotate`) find."""
    switches = PostProcessing.parse(rules)
    for record in map(decoded, read(records)):
        passages = record.copy()
        known = list(definitions(record.document)) if switches.abbreviations else []
        post_process(passages, switches, known, [starter_votes()] if switches.lexicon else [])
        yield record.document, passages, record.gold


def _score(records: Sequence[Record], switches: PostProcessing, decide: Knowledge | Decision | None) -> float:
    tallies = []
    for record in records:
        passages: list[PassageSpans] = record.copy()
        known = list(definitions(record.document)) if switches.abbreviations else []
        post_process(passages, switches, known, [starter_votes()] if switches.lexicon else [])
        if decide is not None:
            decide(record.document, passages)
        tallies.append(span_tally(record, passages))
    return f1(tallies)[2]


if __name__ == "__main__":
    main()
