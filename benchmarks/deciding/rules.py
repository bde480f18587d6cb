"""What each rule of the tagger is worth with and without a decision: strict F of spans without the rule.

    python benchmarks/deciding/rules.py RECORDS --sets bc5cdr-test [--model decision.json] [--number 100]
    python benchmarks/deciding/rules.py RECORDS --sets open --model FOLDER [--without lexicon+codes]

The spans are decoded again from the recorded probabilities, so records of one model are needed. Compound codes and
the starter lexicon are those of the package. FOLDER has fold-0.json and so on (`learnt.py --folds-out`); each article
gets the model of its fold. `--without`: one more way, without several rules. The last column is the processor time of
the rules for an article, in milliseconds.
"""

from __future__ import annotations

import argparse
import time
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

Decisions = Sequence[Knowledge | Decision | None]
"""The decision of each fold."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", type=Path)
    parser.add_argument("--sets", default="bc5cdr-test")
    parser.add_argument("--model", type=Path)
    parser.add_argument("--number", type=int)
    parser.add_argument("--without", help="names of rules, joined by +")
    given = parser.parse_args()
    names = [field.name for field in fields(PostProcessing)]
    switches = {"all rules": PostProcessing()}
    switches |= {f"without {name}": replace(PostProcessing(), **{name: False}) for name in names}
    if given.without:
        off = dict.fromkeys(given.without.split("+"), False)
        switches[f"without {given.without}"] = replace(PostProcessing(), **off)
    switches["no rules"] = PostProcessing.parse("none")
    with Lexicon.open(None) as lexicon:
        decisions: dict[str, Decisions] = {"rules": [None], "knowledge": [Knowledge(lexicon)]}
        if given.model:
            paths = sorted(given.model.glob("fold-*.json")) if given.model.is_dir() else [given.model]
            decisions["learnt"] = [Decision(lexicon, read_trees(path, FEATURES)) for path in paths]
        for name in given.sets.split(","):
            records = [decoded(record) for record in read(given.records / f"{name}.jsonl.gz", given.number)]
            for way, chosen in switches.items():
                scores = [f"{_score(records, chosen, decide):.4f}" for decide in decisions.values()]
                shown = [f"{a} {b}" for a, b in zip(decisions, scores, strict=True)]
                print(name, way, *shown, f"{_milliseconds(records, chosen):.1f}", sep="\t", flush=True)


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
        yield record.document, ruled(record, switches), record.gold


def _score(records: Sequence[Record], switches: PostProcessing, decisions: Decisions) -> float:
    tallies = []
    for at, record in enumerate(records):
        passages = ruled(record, switches)
        decide = decisions[at % len(decisions)]
        if decide is not None:
            decide(record.document, passages)
        tallies.append(span_tally(record, passages))
    return f1(tallies)[2]


def ruled(record: Record, switches: PostProcessing) -> list[PassageSpans]:
    """The passages with the spans of the model (`decoded`) after these rules."""
    passages: list[PassageSpans] = record.copy()
    known = list(definitions(record.document)) if switches.abbreviations else []
    post_process(passages, switches, known, [starter_votes()] if switches.lexicon else [])
    return passages


def _milliseconds(records: Sequence[Record], switches: PostProcessing) -> float:
    begun = time.process_time()
    for record in records:
        ruled(record, switches)
    return 1000 * (time.process_time() - begun) / max(1, len(records))


if __name__ == "__main__":
    main()
