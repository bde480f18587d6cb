"""Reader of SemEval-2010 task 5: scientific articles with keyphrases of authors and readers.

Source: Kim et al. 2010, SemEval, pages 21-26. The prepared texts are from Boudin et al. 2016, level 2.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bioc import BioCDocument, BioCPassage

from corpora.datasets.cards import read_card
from corpora.datasets.registry import Files, json_lines, listing, read_text, streams
from corpora.errors import DAMAGE, InputError, damage
from corpora.model.sections import ABSTRACT, CONCL, FIG, INTRO, METHODS, RESULTS, TITLE
from corpora.reporting import Report

CARD = read_card(Path(__file__).with_name("semeval.json"))
_BRACKETS = {
    "-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}", "``": '"', "''": '"',
}  # fmt: skip
"""How the tokens of the source write brackets and quotation marks."""
_SECTIONS = {
    "title": TITLE, "abstract": ABSTRACT, "introduction": INTRO, "related work": INTRO, "background": INTRO,
    "method": METHODS, "evaluation": RESULTS, "conclusions": CONCL,
}  # fmt: skip

Keys = Mapping[str, tuple[tuple[str, ...], ...]]
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


def read_keys(path: Path) -> Keys:
    """Keyphrases by document id: JSON of the form `{id: [[variant, ...], ...]}`, also compressed (.gz).

    A keyphrase may also be a single text. Raises `InputError` for another content.
    """
    for entry, stream in streams(listing(path)):
        return _keys(read_text(stream, entry), str(entry))
    raise InputError(f"{path} contains no keyphrases; give a JSON file of the form {{id: [[variant, ...], ...]}}")


def read_semeval2010(files: Files, report: Report) -> Iterator[PreparedArticle]:
    """Articles from JSON lines, with their keyphrases by annotator group from other JSON files."""
    plain: dict[str, Keys] = {}
    stemmed: dict[str, Keys] = {}
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


def _keys(text: str, where: str) -> Keys:
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
