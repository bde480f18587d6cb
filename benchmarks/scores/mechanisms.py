"""Prints what each mechanism changes: the default pipeline with one mechanism switched off, against all of them.

    python -m benchmarks.scores.mechanisms ../shared/data/indexing/jats.tar.gz -o changes.tsv

For each mechanism, passages that show its sign are drawn from all articles and annotated twice, each as a text of its
own, until `--sample` mentions have changed. `short forms by place` takes whole articles. changes.tsv has the changed
mentions, to be read: the change (`new`: only with the mechanism, `gone`: only without it, `identifiers`), identifiers
with and without it, and the text around. Time: 10 minutes of processor time for 461 articles.
"""

from __future__ import annotations

import argparse
import csv
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from unittest.mock import patch

from bioc import BioCDocument, BioCPassage

import corpora
from corpora.model.document import definitions, mentions, remove_mentions
from corpora.model.passages import passage_text
from corpora.model.short_forms import Scopes
from corpora.words.english import word_counts
from nlmchem.abbreviations import AbbreviationStage
from nlmchem.deciding.coordination import COORDINATION
from nlmchem.deciding.decision import Decision, read_model
from nlmchem.deciding.meanings import Meanings
from nlmchem.deciding.other_meanings import no_chemicals_in
from nlmchem.deciding.rare_words import CAPITALIZED, PLAIN_WORD, is_misspelt, is_rare_word
from nlmchem.deciding.suppliers import suppliers_in
from nlmchem.deciding.whole_names import is_whole_name
from nlmchem.tagging.lexicon.lead import metal_places
from nlmchem.tagging.lexicon.proteins import part_of_protein
from nlmchem.tagging.lexicon.tagger import LexiconTagger
from nlmchem.tagging.models.arithmetic import AUTO, chosen
from nlmchem.tagging.models.folders import DEFAULT, folder_of
from nlmchem.tagging.rules.notations import notations
from nlmchem.tagging.tagger import open_tagger
from nlmchem.tagging.tokenization.capitals import folded
from sieves.cascade import NO_ARTICLE, Cascade
from sieves.chemistry.elements import ELEMENTS
from sieves.lexicon.keys import plain
from sieves.lexicon.lexicon import Lexicon
from sieves.lexicon.store import TRADE
from sieves.normalizer import Normalizer

DECISION = Path(__file__).parents[2] / "nlmchem" / "deciding" / "default.json"
AROUND = 60
"""Characters of the text around a mention."""

Place = tuple[int, int, int]
"""Passage, start, end."""
_CHEMICAL = re.compile(
    rf"(?i:(?<![^\W_])(?:{'|'.join(ELEMENTS.values())}|[a-z]{{3,20}}(?:ates?|ides?|ines?|ols?|oses?|acid))(?![^\W_]))"
    r"|[ACGU][DT]P|NADP?H?|[A-Z][a-z]?\d?\+"
)
_WITH_SHORT_FORM = re.compile(r"[a-z]{4} \([A-Z][A-Za-z0-9-]{1,7}\)")
_RULES, _KNOWLEDGE = "nlmchem.tagging.rules.post_processing", "nlmchem.deciding.knowledge"
_CANDIDATES, _FEATURES = "nlmchem.deciding.candidates", "nlmchem.deciding.features"


def _never(*_: Any) -> bool:
    return False


def _none(*_: Any) -> tuple[()]:
    return ()


OFF: Mapping[str, Mapping[str, Callable[..., Any]]] = {
    "lead": {f"{_RULES}._keep_metal": _none},
    "proteins": {
        f"{_RULES}.part_of_protein": _never,
        "nlmchem.tagging.rules.surface_vote.part_of_protein": _never,
        f"{_FEATURES}.part_of_protein": _never,
    },
    "other meanings": {f"{_KNOWLEDGE}.no_chemicals_in": suppliers_in, f"{_CANDIDATES}.no_chemicals_in": suppliers_in},
    "notations": {
        f"{_RULES}.mark_notations": _none,
        f"{_RULES}.notations": _none,
        **dict.fromkeys(
            (f"{_KNOWLEDGE}.is_notation", f"{_CANDIDATES}.is_notation", f"{_FEATURES}.is_notation"), _never
        ),
    },
    "coordination": {
        f"{_KNOWLEDGE}.coordinated": lambda _, place, *__: place,
        **dict.fromkeys((f"{_CANDIDATES}.is_coordination", f"{_FEATURES}.is_coordination"), _never),
    },
    "short forms by place": {
        f"{module}.Scopes.of": lambda _: Scopes()
        for module in ("sieves.normalizer", "nlmchem.tagging.inference.short_forms")
    },
    "capitals": {"nlmchem.tagging.tagger.folded": lambda text: text},
    "trade names": {f"{_FEATURES}.is_brand": _never},
    "misspelt names": {f"{_CANDIDATES}.misspelt_words": _none, f"{_FEATURES}.is_misspelt": _never},
    "whole names": {
        "nlmchem.deciding.decision.whole_names": lambda passage, *_: passage.spans,
        f"{_CANDIDATES}.is_whole_name": _never,
    },
    "short form after a name": {"sieves.normalizer.names_before": lambda _: {}},
}
"""Mechanisms, and what replaces which functions to switch them off."""


def signs(lexicon: Lexicon) -> dict[str, Callable[[str], Any]]:
    """For each mechanism, whether a text shows its sign."""

    def in_other_meaning(text: str) -> bool:
        suppliers = set(suppliers_in(text))
        return any(_CHEMICAL.search(text, *span) for span in no_chemicals_in(text) if span not in suppliers)

    def has_brand(text: str) -> bool:
        words = {word for word in CAPITALIZED.findall(text) if is_rare_word(word)}
        return any(match.layer == TRADE for word in words for match in lexicon.spelt(word))

    meanings = Meanings(Cascade(lexicon), lexicon, NO_ARTICLE)
    names = LexiconTagger(lexicon)

    def has_misspelt(text: str) -> bool:
        words = [word for word in PLAIN_WORD.findall(text) if word.lower() not in word_counts()]
        return any(is_misspelt(word, meanings.of(word)) for word in words)

    def has_whole_name(text: str) -> bool:
        return any(is_whole_name(text, (start, end), meanings) for start, end, *_ in names.find([text])[0])

    return {
        "lead": lambda text: metal_places([text])[0],
        "proteins": lambda text: any(part_of_protein(text, *name.span()) for name in _CHEMICAL.finditer(text)),
        "other meanings": in_other_meaning,
        "notations": lambda text: notations(plain(text)),
        "coordination": COORDINATION.search,
        "capitals": lambda text: folded(text) != text,
        "trade names": has_brand,
        "misspelt names": has_misspelt,
        "whole names": has_whole_name,
        "short form after a name": _WITH_SHORT_FORM.search,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("articles")
    parser.add_argument("--passages", type=int, default=1500, help="most passages for a mechanism")
    parser.add_argument("--whole", type=int, default=40, help="most articles for `short forms by place`")
    parser.add_argument("--sample", type=int, default=20)
    parser.add_argument("-o", "--out", type=Path, required=True)
    given = parser.parse_args()
    lexicon = Lexicon.open(None)
    stages = _stages(lexicon)
    texts = shown_in(given.articles, signs(lexicon))
    changes: dict[str, list[tuple[str, ...]]] = {}
    for name, documents in texts.items():
        most = given.whole if name == BY_PLACE else given.passages
        changed = changes[name] = []
        read = 0
        for document in random.Random(7).sample(documents, min(most, len(documents))):
            if number_of(changed) >= given.sample:
                break
            read += 1
            stages[0]([document])
            usual = annotated(document, stages[1:])
            with switched_off(name):
                changed += rows(document, usual, annotated(document, stages[1:]))
        kinds = Counter(row[1] for row in changed)
        print(name, f"{len(documents)} texts", f"{read} annotated", *sorted(kinds.items()), sep="\t", flush=True)
        write(given.out, changes)


def number_of(changed: Sequence[tuple[str, ...]]) -> int:
    """How many mentions changed. A mention that became longer is both gone and new."""
    kinds = Counter(row[1] for row in changed)
    return kinds["identifiers"] + max(kinds["new"], kinds["gone"])


BY_PLACE = "short forms by place"


def shown_in(articles: str, shows: Mapping[str, Callable[[str], Any]]) -> dict[str, list[BioCDocument]]:
    """For each mechanism, the passages with its sign, each as a document; whole articles for `BY_PLACE`."""
    texts: dict[str, list[BioCDocument]] = {name: [] for name in OFF}
    abbreviate = AbbreviationStage()
    for article in corpora.read(articles):
        for passage in article.passages:
            text = passage_text(passage)
            for name, is_shown in shows.items():
                if is_shown(text):
                    texts[name].append(_alone(article, text))
        if len(texts[BY_PLACE]) < MOST_ARTICLES:
            abbreviate([article])
            if len(Scopes.of(definitions(article))):
                texts[BY_PLACE].append(article)
    return texts


MOST_ARTICLES = 60
"""Articles with short forms that have several meanings."""


def _alone(article: BioCDocument, text: str) -> BioCDocument:
    document, passage = BioCDocument(), BioCPassage()
    document.id, passage.offset, passage.text = article.id, 0, text
    document.add_passage(passage)
    return document


def _stages(lexicon: Lexicon) -> list[Any]:
    decide = Decision(lexicon, read_model(DECISION))
    tagger = open_tagger([folder_of(DEFAULT)], arithmetic=chosen(AUTO, "cpu"), threads=1, decide=decide, names=lexicon)
    return [AbbreviationStage(), tagger, Normalizer(lexicon)]


def annotated(document: BioCDocument, stages: Sequence[Any]) -> dict[Place, tuple[str, ...]]:
    """The mentions of an article, each with its identifiers. The document has none afterwards."""
    for stage in stages:
        stage([document])
    numbers = {id(passage): number for number, passage in enumerate(document.passages)}
    found = {
        (numbers[id(mention.passage)], *mention.spans[0]): tuple(mention.identifiers) for mention in mentions(document)
    }
    remove_mentions(document)
    return found


def switched_off(name: str) -> ExitStack:
    """A context without a mechanism."""
    off = ExitStack()
    for target, replacement in OFF[name].items():
        off.enter_context(patch(target, replacement))
    return off


def rows(
    document: BioCDocument, on: Mapping[Place, tuple[str, ...]], off: Mapping[Place, tuple[str, ...]]
) -> Iterator[tuple[str, ...]]:
    for place in sorted(on.keys() | off.keys()):
        if on.get(place) == off.get(place):
            continue
        kind = "identifiers" if place in on and place in off else "new" if place in on else "gone"
        number, first, last = place
        passage = document.passages[number]
        text, start, end = passage_text(passage), first - passage.offset, last - passage.offset
        around = f"{text[max(0, start - AROUND) : start]}[{text[start:end]}]{text[end : end + AROUND]}"
        ids = (",".join(on.get(place, ())) or "-", ",".join(off.get(place, ())) or "-")
        yield str(document.id), kind, *ids, " ".join(around.split())


def write(path: Path, changes: Mapping[str, Sequence[tuple[str, ...]]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as lines:
        table = csv.writer(lines, delimiter="\t", quoting=csv.QUOTE_NONE, escapechar="\\")
        table.writerow(("mechanism", "article", "change", "with", "without", "text"))
        for name, changed in changes.items():
            for row in changed:
                table.writerow((name, *row))


if __name__ == "__main__":
    main()
