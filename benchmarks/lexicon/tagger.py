"""Scores the lexicon tagger, and the same tagger without each of its rules about what is a chemical.

    python benchmarks/lexicon/tagger.py --data ../shared/data [--lexicon starter] [--rules] [--parts train test nlmchem]

Strict spans of `nlmchem annotate --steps abbreviate,tag --tagger lexicon --existing replace`. `train` has the corpora
on which the rules were developed (the training parts of BC5CDR, BioRED and CHEMDNER); `test` is the test part of
BC5CDR, `nlmchem` the 30 open articles of NLM-Chem. Time: 1 minute; with `--rules` 5 minutes.
"""

from __future__ import annotations

import argparse
import gzip
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from unittest.mock import patch

from bioc import BioCAnnotation, BioCDocument, BioCLocation, BioCPassage

import corpora
from corpora.model.document import mentions, remove_mentions
from nlmchem.abbreviations.article.stage import AbbreviationStage
from nlmchem.tagging.gazetteer import names
from nlmchem.tagging.lexicon import context, tagger
from nlmchem.tagging.lexicon.tagger import LexiconTagger
from sieves.lexicon.lexicon import Lexicon

PARTS = {
    "train": ("bc5cdr/BC5CDR_TrainDev.PubTator.gz", "biored/BioRED_TrainDev.PubTator.gz", "chemdner/training"),
    "test": ("bc5cdr/BC5CDR_Test.PubTator.gz",),
    "nlmchem": ("nlmchem/bioc",),
}
NEVER = 1 << 60
RULES: dict[str, tuple[tuple[object, str, object], ...]] = {
    "kinds": ((tagger.Sought, "is_chemical", lambda self, text, match: True),),
    "common words": ((names, "COMMON_NAME", NEVER), (names, "COMMON_SYNONYM", NEVER)),
    "short forms that the article defines": ((context, "SHORTEST", NEVER),),
    "decoys": ((tagger, "DECOYS", frozenset()),),
}


def chemdner(stem: Path) -> Iterator[BioCDocument]:
    """The abstracts of a part of CHEMDNER: title and abstract are passages, with the annotated mentions."""
    found: dict[tuple[str, str], list[tuple[int, int]]] = {}
    with gzip.open(f"{stem}.annotations.txt.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            identifier, part, start, end, *_ = line.split("\t")
            found.setdefault((identifier, part), []).append((int(start), int(end)))
    with gzip.open(f"{stem}.abstracts.txt.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            identifier, *texts = line.rstrip("\n").split("\t")
            document = BioCDocument()
            document.id = identifier
            offset = 0
            for part, text in zip("TA", texts, strict=True):
                passage = BioCPassage.of_text(text, offset)
                for number, (start, end) in enumerate(found.get((identifier, part), ())):
                    annotation = BioCAnnotation()
                    annotation.id, annotation.infons["type"] = f"{part}{number}", "Chemical"
                    annotation.text = text[start:end]
                    annotation.add_location(BioCLocation(offset + start, end - start))
                    passage.add_annotation(annotation)
                document.add_passage(passage)
                offset += len(text) + 1
            yield document


def documents(path: Path) -> Iterable[BioCDocument]:
    return corpora.read([str(path)]) if path.exists() else chemdner(path)


def scores(path: Path, lexicon: Lexicon) -> str:
    """Strict precision, recall and F of the tagger on the articles of a corpus."""
    stages = (AbbreviationStage(), LexiconTagger(lexicon))
    right = given = wanted = 0
    for document in documents(path):
        gold = {mention.spans for mention in mentions(document)}
        remove_mentions(document)
        for stage in stages:
            stage([document])
        found = {mention.spans for mention in mentions(document)}
        right, given, wanted = right + len(gold & found), given + len(found), wanted + len(gold)
    return f"P {right / given:.4f}  R {right / wanted:.4f}  F {2 * right / (given + wanted):.4f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--lexicon", help="another lexicon than the default one")
    parser.add_argument("--rules", action="store_true", help="also without each rule")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    options = parser.parse_args()
    with Lexicon.open(options.lexicon) as lexicon:
        for label, patches in {"all rules": (), **(RULES if options.rules else {})}.items():
            with ExitStack() as stack:
                for target, name, value in patches:
                    stack.enter_context(patch.object(target, name, value))
                for part in options.parts:
                    for name in PARTS[part]:
                        print(name if not patches else f"{name} without {label}", end="\t")
                        print(scores(options.data / name, lexicon), flush=True)


if __name__ == "__main__":
    main()
