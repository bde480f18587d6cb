"""Scores of keyphrases by stemmed match, as in SemEval-2010 task 5 (Kim et al. 2010, pages 21-26); its reader.

A predicted phrase is right if its stems are those of a variant of a key. Each key counts once: a second variant of the
same key is a wrong prediction. A phrase that is predicted twice counts once, at its first rank.
The reader: articles with keyphrases of authors and readers, in texts that Boudin et al. 2016 prepared (level 2).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bioc import BioCDocument, BioCPassage

from corpora.datasets.cards import read_card
from corpora.datasets.registry import Files, json_lines, listing, read_text, streams
from corpora.errors import DAMAGE, ConfigurationError, InputError, command, damage
from corpora.model.metadata import keyword_list
from corpora.model.sections import ABSTRACT, CONCL, FIG, INTRO, METHODS, RESULTS, TITLE
from corpora.reading import read
from corpora.reporting import Report, log
from corpora.words.quantities import quantity
from nlmchem.companions.keyphrases.candidates import Keys, key_of, stemmed_keys
from nlmchem.companions.keyphrases.keyphrase import keyphrases
from nlmchem.evaluation.scores import Counts, f1, mean, total

CARD = read_card(Path(__file__).with_name("semeval.json"))
_BRACKETS = {
    "-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}", "``": '"', "''": '"',
}  # fmt: skip
"""How the tokens of the source write brackets and quotation marks."""
_SECTIONS = {
    "title": TITLE, "abstract": ABSTRACT, "introduction": INTRO, "related work": INTRO, "background": INTRO,
    "method": METHODS, "evaluation": RESULTS, "conclusions": CONCL,
}  # fmt: skip

KeysById = Mapping[str, tuple[tuple[str, ...], ...]]
"""Document id -> its keyphrases; each is a tuple of accepted variants."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a prepared text, with `section` and `type` as in the source."""

    tokens: tuple[str, ...]
    section: str
    type: str


@dataclass(frozen=True, slots=True)
class PreparedArticle:
    """An article with keyphrases by annotator group; each keyphrase is a tuple of accepted variants.

    `stemmed`: the same keyphrases, Porter-stemmed by the publisher.
    """

    id: str
    sentences: tuple[Sentence, ...]
    keyphrases: Mapping[str, tuple[tuple[str, ...], ...]]
    stemmed: Mapping[str, tuple[tuple[str, ...], ...]]

    def counts(self) -> dict[str, int]:
        """What `nlmchem corpora stats` adds up."""
        phrases = {f"keyphrases.{group}": len(given) for group, given in self.keyphrases.items()}
        return {"articles": 1, "sentences": len(self.sentences), **phrases}


def read_keys(path: Path) -> KeysById:
    """Keyphrases by document id: JSON of the form `{id: [[variant, ...], ...]}`, also compressed (.gz).

    A keyphrase may also be a single text. Raises `InputError` for another content.
    """
    for entry, stream in streams(listing(path)):
        return _keys(read_text(stream, entry), str(entry))
    raise InputError(f"{path} contains no keyphrases; give a JSON file of the form {{id: [[variant, ...], ...]}}")


def read_semeval2010(files: Files, report: Report) -> Iterator[PreparedArticle]:
    """Articles from JSON lines, with their keyphrases by annotator group from other JSON files."""
    plain: dict[str, KeysById] = {}
    stemmed: dict[str, KeysById] = {}
    for entry, stream in streams(files["keys"]):
        # train.author.json, train.author.stem.json
        parts = entry.relative.name.split(".")
        target = stemmed if "stem" in parts else plain
        target[parts[1]] = _keys(read_text(stream, entry), str(entry))
    for entry, stream in streams(files["text"]):
        lines = read_text(stream, entry).split("\n")
        for identifier, sentences in json_lines(lines, entry, _sentences, "a prepared article", "get the file again"):
            by_group = [
                {group: given[identifier] for group, given in keys.items() if identifier in given}
                for keys in (plain, stemmed)
            ]
            yield PreparedArticle(identifier, sentences, *by_group)


def _sentences(value: Any) -> tuple[str, tuple[Sentence, ...]]:
    return str(value["id"]), tuple(Sentence(tuple(s["tokens"]), s["section"], s["type"]) for s in value["sents"])


def document_of(article: PreparedArticle) -> BioCDocument:
    """A prepared article as a document: one passage for each sentence, with its section and the kind of text."""
    document = BioCDocument()
    document.id = article.id
    offset = 0
    for sentence in article.sentences:
        passage = BioCPassage.of_text(" ".join(_BRACKETS.get(token, token) for token in sentence.tokens))
        passage.offset = offset
        offset += len(passage.text) + 1
        section = _SECTIONS.get(sentence.section, INTRO)
        kind = "paragraph"
        if "Caption" in sentence.type:
            section, kind = FIG, "fig_caption"
        elif "eader" in sentence.type:
            kind = "title_1"
        passage.infons = {"section_type": section, "type": "front" if section == TITLE else kind}
        document.passages.append(passage)
    return document


def _keys(text: str, where: str) -> KeysById:
    try:
        value: dict[str, Any] = json.loads(text)
        return {name: tuple(map(_variants, phrases)) for name, phrases in value.items()}
    except DAMAGE as error:
        raise InputError(f"{where}: not keyphrases by article ({damage(error)}); get the file again") from error


def _variants(given: Any) -> tuple[str, ...]:
    variants = (given,) if isinstance(given, str) else tuple(given)
    if not all(isinstance(variant, str) for variant in variants):
        raise ValueError("a keyphrase is not a text or a list of texts")
    return variants


# -- scores -----------------------------------------------------------------------------------

CUTOFFS = (5, 10, 15)
"""The numbers of predictions that the task scores."""
GROUPS = ("author", "reader", "combined")
AUTHOR, READER, COMBINED = GROUPS

Standard = Mapping[str, Mapping[str, Keys]]
"""Group (`author`, `reader`, `combined`) -> document id -> stemmed keys, each with its accepted variants."""
Predictions = Mapping[str, tuple[str, ...]]
"""Document id -> stemmed phrases, best first, each once."""


@dataclass(frozen=True, slots=True)
class GroupScore:
    """Scores against one group of keys with the first `cutoff` predictions; `cutoff` is None for all of them.

    `micro`: from the sums of all documents. `macro_precision`, `macro_recall`: means over documents.
    """

    group: str
    cutoff: int | None
    documents: int
    micro: Counts
    macro_precision: float
    macro_recall: float

    @property
    def macro_f1(self) -> float:
        """The F1 of the mean precision and the mean recall."""
        return f1(self.macro_precision, self.macro_recall)


def compare(keys: Keys, predicted: Sequence[str], cutoff: int | None = None) -> Counts:
    first = list(predicted[:cutoff])
    right = sum(any(variant in first for variant in variants) for variants in keys)
    return Counts(gold=len(keys), found=right, predicted=len(first), right=right)


def score(standard: Standard, predictions: Predictions, cutoffs: Sequence[int | None] = CUTOFFS) -> list[GroupScore]:
    """Scores by group and cutoff. A document without predictions counts with recall 0."""
    scores = []
    for group, keys in standard.items():
        for cutoff in cutoffs:
            counts = [compare(article_keys, predictions.get(name, ()), cutoff) for name, article_keys in keys.items()]
            means = mean(counts)
            scores.append(GroupScore(group, cutoff, len(counts), total(counts), means.precision, means.recall))
    return scores


def united(standard: Standard) -> Standard:
    """The same with the group `combined`, the union of `author` and `reader`, if both are there and it is not."""
    if COMBINED in standard or not {AUTHOR, READER} <= set(standard):
        return standard
    combined: dict[str, Keys] = {}
    for name in dict.fromkeys([*standard[AUTHOR], *standard[READER]]):
        # Keys with a common variant are one key.
        joined: list[tuple[str, ...]] = []
        for variants in (*standard[AUTHOR].get(name, ()), *standard[READER].get(name, ())):
            same = [key for key in joined if not set(key).isdisjoint(variants)]
            joined = [key for key in joined if key not in same]
            joined.append(tuple(dict.fromkeys([variant for key in (*same, variants) for variant in key])))
        combined[name] = tuple(joined)
    return {**standard, COMBINED: combined}


def read_standard(path: str, report: Report = log) -> Standard:
    """Keys of people: JSON files of keys, or articles with the keywords of their authors.

    The group of a file is the part of its name that is `author`, `reader` or `combined`, else `author`. Files with
    `stem` in the name contain stems; they are used if the same group has no other file. Raises `InputError`.
    """
    if not _is_keys(path):
        keys = {
            str(document.id): tuple((word,) for word in keyword_list(document))
            for document in read(path, report=report)
        }
        given = {name: stemmed_keys(article_keys) for name, article_keys in keys.items() if article_keys}
        if not given:
            raise InputError(
                f"{path}: no article has separate keywords of its authors; give JATS or a JSON file of keys"
            )
        return {AUTHOR: given}
    by_group: dict[str, dict[str, Keys]] = {}
    files = [Path(path)] if Path(path).is_file() else sorted(Path(path).iterdir())
    plain_first = sorted((file for file in files if ".json" in file.suffixes), key=lambda file: "stem" in _parts(file))
    for file in plain_first:
        group = next((part for part in _parts(file) if part in GROUPS), AUTHOR)
        if group not in by_group:
            stems = "stem" in _parts(file)
            by_group[group] = {
                name: article_keys if stems else stemmed_keys(article_keys)
                for name, article_keys in read_keys(file).items()
            }
    return united({group: by_group[group] for group in GROUPS if group in by_group})


def _parts(file: Path) -> list[str]:
    return file.name.split(".")


def _is_keys(path: str) -> bool:
    """Whether a path is a file of keys (JSON that is not BioC), or a folder with some."""
    place = Path(path)
    if place.is_dir():
        return any(set(_parts(file)) & set(GROUPS) and ".json" in file.suffixes for file in place.iterdir())
    return ".json" in place.suffixes and '"documents"' not in _head(place)


def _head(path: Path) -> str:
    for entry, stream in streams(listing(path)):
        return read_text(stream, entry)[: 1 << 16]
    return ""


def read_predictions(path: str, report: Report = log) -> Predictions:
    """Predictions: JSON output of `nlmchem keyphrases`, annotated articles, or JSON `{id: [phrase, ...]}`.

    Reports phrases that occur twice in a document, and documents that occur twice; the first one counts. Raises
    `InputError` for broken JSON.
    """
    predictions: dict[str, tuple[str, ...]] = {}
    for name, phrases in _predicted(path, report):
        if name in predictions:
            report(f"{path}: document {name!r} occurs twice; the first one counts")
            continue
        stems = [stem for stem in map(key_of, phrases) if stem]
        predictions[name] = tuple(dict.fromkeys(stems))
        if len(predictions[name]) < len(stems):
            repeated = quantity(len(stems) - len(predictions[name]), "phrase")
            report(f"{path}: document {name!r} has {repeated} twice; each counts once")
    return predictions


def _phrases_of(value: Any) -> tuple[str, list[str]]:
    return str(value["document"]), [str(keyphrase["phrase"]) for keyphrase in value["keyphrases"]]


def _predicted(path: str, report: Report) -> Iterator[tuple[str, list[str]]]:
    place = Path(path)
    if place.is_file() and ".jsonl" in place.suffixes and '"keyphrases"' in _head(place)[:4096]:
        for entry, stream in streams(listing(place)):
            remedy = f"write the file again with {command('keyphrases', json=True)}"
            lines = read_text(stream, entry).splitlines()
            yield from json_lines(lines, entry, _phrases_of, "keyphrases of an article", remedy)
    elif place.is_file() and _is_keys(path):
        for name, keys in read_keys(place).items():
            yield name, [variants[0] for variants in keys if variants]
    else:
        for document in read(path, report=report):
            ranked = sorted(keyphrases(document), key=lambda keyphrase: keyphrase.rank)
            yield str(document.id), [keyphrase.phrase for keyphrase in ranked]


def check(standard: Standard, predictions: Predictions, report: Report = log) -> None:
    """Report documents on one side only. Raises `ConfigurationError` if no document is on both sides."""
    gold = {name for keys in standard.values() for name in keys}
    if not gold & set(predictions):
        raise ConfigurationError(
            "the keys and the predictions have no document id in common; give predictions for the same documents"
        )
    missing, unknown = sorted(gold - set(predictions)), sorted(set(predictions) - gold)
    if missing:
        report(f"{quantity(len(missing), 'document')} without predictions, counted with recall 0: {missing[0]}...")
    if unknown:
        report(f"{quantity(len(unknown), 'document')} of the predictions without keys, ignored: {unknown[0]}...")


def as_text(scores: Sequence[GroupScore]) -> Iterator[str]:
    """A table, one line for each group and cutoff; scores in percent."""
    yield f"{'keys':9} {'n':>4} {'docs':>5} {'P':>6} {'R':>6} {'F':>6}   {'macro P':>7} {'macro R':>7} {'macro F':>7}"
    for group_score in scores:
        values = (group_score.micro.precision, group_score.micro.recall, group_score.micro.f1)
        macro = (group_score.macro_precision, group_score.macro_recall, group_score.macro_f1)
        yield (
            f"{group_score.group:9} {group_score.cutoff or 'all':>4} {group_score.documents:>5} "
            + " ".join(f"{100 * value:6.2f}" for value in values)
            + "   "
            + " ".join(f"{100 * value:7.2f}" for value in macro)
        )


def as_object(scores: Sequence[GroupScore]) -> dict[str, dict[str, object]]:
    """For JSON: group -> cutoff -> `{documents, micro: {...}, macro: {...}}`; scores in 0..1."""
    content: dict[str, dict[str, object]] = {}
    for group_score in scores:
        micro = group_score.micro
        content.setdefault(group_score.group, {})[str(group_score.cutoff or "all")] = {
            "documents": group_score.documents,
            "micro": {"precision": micro.precision, "recall": micro.recall, "f1": micro.f1},
            "macro": {
                "precision": group_score.macro_precision,
                "recall": group_score.macro_recall,
                "f1": group_score.macro_f1,
            },
            "counts": {"keys": micro.gold, "predicted": micro.predicted, "right": micro.right},
        }
    return content
