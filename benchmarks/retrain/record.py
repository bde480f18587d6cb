"""Stores the output of a tagger for gold articles, so that decisions can be measured without tagging again.

    python -m benchmarks.retrain.record --data ../shared/data --out RECORDS --sets bc5cdr-test,biored-test

With `--folds RUN` the articles of the set `open` are tagged by the models of a cross-validation (`nlmchem train tagger
--corpus ../shared/data/nlmchem/bioc --folds`): each article by the model that was not trained on it. RUN has
`fold-0/model` and so on.

RECORDS/SET.jsonl.gz has an object for each article: id, definitions, and for each passage its offset, text, section,
gold mentions with identifiers, the spans after the rules, and the pieces with their probability of each role.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from bioc import BioCDocument, BioCPassage

from benchmarks.retrain.sources import SETS, documents
from corpora.model.document import definitions, mentions, remove_mentions
from corpora.model.metadata import join_key
from corpora.model.passages import passage_text, section_type
from nlmchem.abbreviations import AbbreviationStage
from nlmchem.tagging.inference.spans import PassageSpans, own_copies
from nlmchem.tagging.kernel.arithmetic import AUTO, chosen
from nlmchem.tagging.models.folders import LEXICON
from nlmchem.tagging.registry import TaggerChoice
from nlmchem.tagging.rules.post_processing import Rules
from nlmchem.tagging.tagger import NeuralTagger, TaggerOptions
from nlmchem.tagging.training.data import fold_of
from sieves.lexicon.lexicon import Lexicon

CHUNK = 16


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--number", type=int, default=0, help="sample of this many articles (0: all)")
    parser.add_argument("--tagger", default="default")
    parser.add_argument("--guidelines", help="as in nlmchem annotate")
    parser.add_argument("--folds", type=Path, help="folder of the models of a cross-validation over the set open")
    parser.add_argument("--passages", action="store_true", help="record each passage as an article of its own")
    parser.add_argument("--of", type=int, help="the number of folds, if not all of them have a model")
    given = parser.parse_args()
    if given.folds and given.guidelines:
        parser.error("--guidelines has no effect with --folds; leave one of the two out")
    given.out.mkdir(parents=True, exist_ok=True)
    for name in given.sets.split(","):
        path = given.out / f"{name}.jsonl.gz"
        if given.folds:
            record_folds(documents(given.data, "open"), given.folds, given.of, path)
        else:
            articles = documents(given.data, name, given.number)
            if given.passages:
                articles = [part for article in articles for part in passages_of(article)]
            record(name, articles, given.tagger, path, given.guidelines)


def passages_of(article: BioCDocument) -> Iterator[BioCDocument]:
    """Each passage as an article with the id ARTICLE.NUMBER: a short text with the annotations of an article."""
    for number, passage in enumerate(article.passages):
        part = BioCDocument()
        part.id = f"{article.id}.{number}"
        part.add_passage(passage)
        yield part


def record_folds(articles: list[BioCDocument], models: Path, of: int | None, path: Path) -> None:
    """Tag each article with the model of its fold, and write the records of all in one file.

    `of`: the number of folds (None: one for each model). Articles of folds without a model are left out.
    """
    complete = sorted(int(model.parent.name.removeprefix("fold-")) for model in models.glob("fold-*/model"))
    fold = fold_of(articles, of or len(complete))
    parts = []
    for at in complete:
        held_out = [document for document in articles if fold[join_key(document)] == at]
        parts.append(path.with_name(f"fold-{at}.jsonl.gz"))
        record(f"fold {at}", held_out, str(models / f"fold-{at}" / "model"), parts[-1])
    # In the order of the articles: `scores.decisions` takes the fold of a decision from the place in the file.
    place = {str(document.id): at for at, document in enumerate(articles)}
    lines = [line for part in parts for line in gzip.decompress(part.read_bytes()).splitlines(keepends=True)]
    lines.sort(key=lambda line: place[json.loads(line)["id"]])
    path.write_bytes(gzip.compress(b"".join(lines), mtime=0))


def record(name: str, articles: list[BioCDocument], tagger: str, path: Path, guidelines: str | None = None) -> None:
    """Tag articles and write their records."""
    recorded: list[Sequence[PassageSpans]] = []
    stage: Any
    if tagger == LEXICON:
        from nlmchem.tagging.lexicon_tagger import LexiconTagger

        stage = LexiconTagger(Lexicon.open(None), decide=lambda _, passages: recorded.append(own_copies(passages)))
    else:
        choice = TaggerChoice((tagger,), arithmetic=chosen(AUTO, "cpu"), guidelines=guidelines)
        stage = NeuralTagger(
            choice.models(Lexicon.open()),
            TaggerOptions(Rules.parse("default", guidelines)),
            decide=lambda _, passages: recorded.append(own_copies(passages)),
        )
    abbreviate = AbbreviationStage()
    temporary = path.with_suffix(".part")
    with gzip.open(temporary, "wt", encoding="utf-8") as lines:
        for at in range(0, len(articles), CHUNK):
            chunk = articles[at : at + CHUNK]
            gold = [_gold(document) for document in chunk]
            for document in chunk:
                remove_mentions(document)
            abbreviate(chunk)
            recorded.clear()
            stage(chunk)
            for document, of_document, passages in zip(chunk, gold, recorded, strict=True):
                lines.write(json.dumps(_row(document, of_document, passages)) + "\n")
    temporary.replace(path)
    print(f"{name}: {len(articles)} articles", flush=True)


def _gold(document: BioCDocument) -> list[list[list[Any]]]:
    """The gold mentions of each passage: pieces in document offsets, and identifiers."""
    rows: dict[int, list[list[Any]]] = {id(passage): [] for passage in document.passages}
    for mention in mentions(document):
        rows[id(mention.passage)].append([list(mention.spans), list(mention.identifiers)])
    return [rows[id(passage)] for passage in document.passages]


def _row(document: BioCDocument, gold: list[list[list[Any]]], passages: Sequence[PassageSpans]) -> dict[str, Any]:
    return {
        "id": str(document.id),
        "definitions": [[d.short_form, d.long_form, *d.short_span, *d.long_span] for d in definitions(document)],
        "passages": [
            _passage(passage, of_passage, tagged)
            for passage, of_passage, tagged in zip(document.passages, gold, passages, strict=True)
        ],
    }


def _passage(passage: BioCPassage, gold: list[list[Any]], tagged: PassageSpans) -> dict[str, Any]:
    row: dict[str, Any] = {"offset": passage.offset, "section": section_type(passage), "text": passage_text(passage)}
    row |= {"gold": gold, "spans": [[span.start, span.end, round(span.score, 4)] for span in tagged.spans]}
    if tagged.scored:
        scored = tagged.scored[0]
        row["starts"], row["ends"] = scored.encoded.starts.tolist(), scored.encoded.ends.tolist()
        row["roles"] = (scored.probabilities * 10_000).round().astype(int).tolist()
    return row


if __name__ == "__main__":
    main()
