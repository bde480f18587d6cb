"""Scores rankings of two libraries that learn nothing, YAKE and TextRank, as `crossvalidation.py` scores its rows.

    python benchmarks/keyphrases/unsupervised.py ../shared/data/keyphrases/semeval2010
    python benchmarks/keyphrases/unsupervised.py ../shared/data/indexing/jats.tar.gz

Needs the packages yake (0.7.3) and rapid-textrank (0.1.4), which nlmchem does not use otherwise. Both read the words of
the article that our candidates are made of, without its references. TextRank: Mihalcea and Tarau 2004. YAKE: Campos et
al. 2020; phrases of up to three words, its default.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from pathlib import Path

from crossvalidation import MOST, Row, author, figures, semeval

from indexing.keyphrases.labels import LabelledArticle, key_of
from indexing.keyphrases.words import PLACES

REFERENCE = PLACES.index("reference")
READ = 60
"""Phrases of a library, of which the first with different stems are scored."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", help="the folder of SemEval-2010 task 5, or articles")
    parser.add_argument("--articles", type=int, help="only the first articles")
    given = parser.parse_args()
    labelled = dict(semeval(given.source)) if Path(given.source).is_dir() else author(given.source)
    articles = dict(list(next(iter(labelled.values())).items())[: given.articles])
    rows = [Row(name, ranked(articles, method), {}) for name, method in (("YAKE", yake()), ("TextRank", textrank()))]
    for group, found in labelled.items():
        keys = {name: article.gold for name, article in found.items() if name in articles}
        for row in rows:
            print(json.dumps({"keys": group, "row": row.name, **figures(keys, row)}), flush=True)


def ranked(articles: dict[str, LabelledArticle], method: Callable[[str], Iterator[str]]) -> dict[str, tuple[str, ...]]:
    """The stems of the first phrases of each article."""
    return {
        name: tuple(dict.fromkeys(filter(None, map(key_of, method(text_of(article))))))[:MOST]
        for name, article in articles.items()
    }


def text_of(article: LabelledArticle) -> str:
    """The words of an article without its references, a line for each passage."""
    words = article.found.words
    lines: dict[int, list[str]] = {}
    for token, passage, place in zip(words.tokens, words.passages.tolist(), words.places.tolist(), strict=True):
        if place != REFERENCE:
            lines.setdefault(passage, []).append(token)
    return "\n".join(" ".join(line) for line in lines.values())


def yake() -> Callable[[str], Iterator[str]]:
    from yake import KeywordExtractor  # type: ignore[import-not-found]

    extractor = KeywordExtractor(lan="en", n=3, top=READ)
    return lambda text: (phrase for phrase, _ in extractor.extract_keywords(text))


def textrank() -> Callable[[str], Iterator[str]]:
    from rapid_textrank import BaseTextRank  # type: ignore[import-not-found]

    extractor = BaseTextRank(top_n=READ, language="en")
    return lambda text: (phrase.text for phrase in extractor.extract_keywords(text).phrases)


if __name__ == "__main__":
    main()
