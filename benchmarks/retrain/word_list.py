"""Makes the word lists of `corpora.words` from a folder of full text: words with counts only.

    python -m benchmarks.retrain.word_list ../shared/data/text corpora/words

`words.tsv` has words in lower case, their frequency, and how often their first letter follows them in brackets
(`temperature (T)`), if it ever does. The lists of Ab3P are the words of MEDLINE with a frequency of at least 100
(94,718) and words that are abbreviated by one letter (4,991); ours come from open full text. `stop_words.tsv` is the
list of scikit-learn (BSD licence), copied because importing scikit-learn takes seconds. Needs ../shared/data/text.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from benchmarks.retrain.sources import rows

WORD = re.compile(r"[a-z]{3,}")
ONE_LETTER = re.compile(r"(?<![^\s(])([A-Za-z]?[a-z]{2,}) [(\[]([A-Z])[)\]]")


def count_words(folder: Path) -> tuple[Counter[str], Counter[str]]:
    """The frequency of each word, and how often it is abbreviated by one letter in brackets."""
    words: Counter[str] = Counter()
    letters: Counter[str] = Counter()
    for text in (row["text"] for row in rows(*sorted(folder.glob("*.jsonl.xz")))):
        words.update(WORD.findall(text.lower()))
        for word, letter in ONE_LETTER.findall(text):
            if word[0].upper() == letter and word.lower() not in ENGLISH_STOP_WORDS:
                letters[word.lower()] += 1
    return words, letters


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path, help="the folder of the lists")
    parser.add_argument("--at-least", type=int, default=10, help="minimum number of occurrences of a listed word")
    options = parser.parse_args()
    words, letters = count_words(options.folder)
    listed = sorted(word for word in words if words[word] >= options.at_least or letters[word])
    _write(options.out / "words.tsv", (_row(word, words[word], letters[word]) for word in listed))
    _write(options.out / "stop_words.tsv", sorted(ENGLISH_STOP_WORDS))


def _row(word: str, count: int, letters: int) -> str:
    return f"{word}\t{count}\t{letters}" if letters else f"{word}\t{count}"


def _write(path: Path, lines: Iterable[str]) -> None:
    written = path.write_text("".join(f"{line}\n" for line in lines), encoding="ascii", newline="\n")
    print(f"{path}: {written} bytes")


if __name__ == "__main__":
    main()
