"""Measures `align` and `verify` on lists as language models write them, made from gold mentions.

    python -m benchmarks.scores.annotators --as-of 2021 --data ../shared/data [--abstracts 300] [--sure 0.9]

Articles: the 30 open articles of NLM-Chem, and abstracts of BC5CDR test; chemicals only. The rows of a list are the
gold mentions. 40% of the texts are changed: capitals, dashes, plural, Greek letters, Unicode forms, blanks, HTML
entities. 10% further rows are inventions: names of chemicals that the article does not have. 10% of the identifiers are
of another chemical. The lists state the text alone (each text once), the sentence, offsets in characters, or in bytes.

A true row is placed if it has a place. It is placed wrongly if none of its places is a gold mention. For `verify`, the
gold mentions keep their spans; the identifiers that were changed are to be found.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path

from bioc import BioCDocument

from corpora.datasets import open_corpus
from corpora.model.document import Mention, mentions, set_identifiers
from corpora.model.passages import passage_text
from corpora.reporting import ignore
from corpora.words.greek import NAME_OF
from nlmchem.companions.annotators.article_text import ArticleText
from nlmchem.companions.annotators.placing import RowFate, RowOutcome, place
from nlmchem.companions.annotators.row import Row
from nlmchem.companions.annotators.text_folding import folded
from nlmchem.companions.annotators.verdict import Finding
from nlmchem.companions.annotators.verifying import Verifier
from sieves.lexicon.kinds import CHEMICAL_KIND
from sieves.lexicon.lexicon import Lexicon
from sieves.lexicon.looking_up import kind

CHANGED, INVENTED, WRONG = 0.4, 0.1, 0.1
FORMS = ("text", "sentence", "offsets", "offsets in bytes")
AROUND = 60
"""Characters before and after a mention that replace its sentence."""
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def _capitals(text: str) -> str:
    return text.lower() if text != text.lower() else text[:1].upper() + text[1:]


def _dashes(text: str) -> str:
    return text.replace("-", "–")


def _plural(text: str) -> str:
    return text[:-1] if text.endswith("s") else f"{text}s"


def _greek(text: str) -> str:
    for letter, name in NAME_OF.items():
        text = text.replace(letter, "\0").replace(name, letter).replace("\0", name)
    return text


def _unicode(text: str) -> str:
    return text.translate(_SUBSCRIPTS)


def _blanks(text: str) -> str:
    return text.replace("-", " - ").replace(" ", "  ")


def _entities(text: str) -> str:
    return "".join(f"&#{ord(character)};" if not character.isascii() else character for character in text)


CHANGES: tuple[Callable[[str], str], ...] = (_capitals, _dashes, _plural, _greek, _unicode, _blanks, _entities)


@dataclass(frozen=True, slots=True)
class GoldPlace:
    """A gold mention: its passage, and its place in the text of the passage."""

    mention: Mention
    passage: int
    start: int
    end: int


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--as-of", type=int)
    parser.add_argument("--abstracts", type=int, default=300)
    parser.add_argument("--sure", type=float, default=0.9)
    given = parser.parse_args()
    with Lexicon.open(None, given.as_of, report=ignore) as lexicon:
        names = [(name, ids) for name, ids in lexicon.names(0) if "," not in ids and len(name) > 5]
        names = [
            (name, ids) for name, ids in random.Random(3).sample(names, 20_000) if kind(lexicon, [ids]) == CHEMICAL_KIND
        ]
        for title, documents in _corpora(given.data, given.abstracts):
            print(f"\n{title}: {len(documents)} articles")
            print("list\trows\tplaced\texactly\twrongly, of exact\twrongly, of folded\tinvented\trefused")
            for form in FORMS:
                print(_aligned(documents, form, names))
            print(*_verified(documents, Verifier(lexicon, given.sure), names), sep="\n")


def _corpora(data: Path, abstracts: int) -> Iterator[tuple[str, list[BioCDocument]]]:
    yield "NLM-Chem, open articles", list(open_corpus("nlmchem-open", data / "nlmchem/bioc").read("test", ignore))
    read = list(open_corpus("bc5cdr", data / "bc5cdr").read("test", ignore))
    yield "BC5CDR test", random.Random(5).sample(read, min(abstracts, len(read)))


# -- align --------------------------------------------------------------------------------------


def _aligned(documents: Sequence[BioCDocument], form: str, names: Sequence[tuple[str, str]]) -> str:
    chance = random.Random(17)
    counts: Counter[str] = Counter()
    for document in documents:
        article = ArticleText(document)
        gold = list(_gold(document))
        rows = [_row(article, document, one, form, chance) for one in gold]
        pairs = list(zip(rows, gold, strict=True))
        if form == "text":
            pairs = list({row.text: (row, one) for row, one in pairs}.values())
        invented = _invented(document, max(1, round(INVENTED * len(pairs))), names, chance)
        outcomes, _ = place(article, [row for row, _ in pairs] + invented)
        places = {(one.passage, one.start, one.end) for one in gold}
        for outcome in outcomes[: len(pairs)]:
            counts["true"] += 1
            _count(outcome, places, counts)
        counts["invented"] += len(invented)
        counts["refused"] += sum(not outcome.fate.is_placed for outcome in outcomes[len(pairs) :])
    true = counts["true"]
    return "\t".join(
        (
            form, str(true), f"{(counts['exact'] + counts['folded']) / true:.4f}", f"{counts['exact'] / true:.4f}",
            str(counts["wrong exact"]), str(counts["wrong folded"]), str(counts["invented"]),
            f"{counts['refused'] / max(1, counts['invented']):.4f}",
        )
    )  # fmt: skip


def _count(outcome: RowOutcome, gold: set[tuple[int, int, int]], counts: Counter[str]) -> None:
    if not outcome.fate.is_placed:
        return
    how = "folded" if outcome.fate is RowFate.FOLDED else "exact"
    counts[how] += 1
    if not any((spot.passage, spot.start, spot.end) in gold for spot in outcome.places):
        counts[f"wrong {how}"] += 1


def _gold(document: BioCDocument) -> Iterator[GoldPlace]:
    numbers = {id(passage): number for number, passage in enumerate(document.passages)}
    for mention in mentions(document):
        if len(mention.spans) == 1:
            (start, end), offset = mention.spans[0], mention.passage.offset
            yield GoldPlace(mention, numbers[id(mention.passage)], start - offset, end - offset)


def _row(article: ArticleText, document: BioCDocument, one: GoldPlace, form: str, chance: random.Random) -> Row:
    text = one.mention.text
    if chance.random() < CHANGED:
        text = chance.choice(CHANGES)(text)
    row = Row(place="row", document=str(document.id), text=text)
    whole = article.texts[one.passage]
    if form == "sentence":
        return replace(row, quote=whole[max(0, one.start - AROUND) : one.end + AROUND])
    if form == "offsets":
        start, end = one.mention.spans[0]
        return replace(row, start=start, end=end)
    if form == "offsets in bytes":
        joined = "".join(f"{text}\n" for text in article.texts[: one.passage])
        start = len((joined + whole[: one.start]).encode())
        return replace(row, start=start, end=start + len(one.mention.text.encode()))
    return row


def _invented(
    document: BioCDocument, number: int, names: Sequence[tuple[str, str]], chance: random.Random
) -> list[Row]:
    text = folded(" ".join(map(passage_text, document.passages))).text
    absent = (name for name, _ in chance.sample(names, min(len(names), 20 * number)) if folded(name).text not in text)
    return [
        Row(place="row", document=str(document.id), text=name) for name, _ in zip(absent, range(number), strict=False)
    ]


# -- verify -------------------------------------------------------------------------------------


def _verified(documents: Sequence[BioCDocument], verifier: Verifier, names: Sequence[tuple[str, str]]) -> Iterator[str]:
    chance = random.Random(29)
    by_finding: dict[Finding, Counter[bool]] = {}
    corrected = 0
    for document in map(deepcopy, documents):
        changed: dict[int, tuple[str, ...]] = {}
        for mention in mentions(document):
            before = mention.identifiers
            if before and chance.random() < WRONG:
                changed[id(mention.annotation)] = before
                set_identifiers(
                    mention, [next(ids for _, ids in iter(lambda: chance.choice(names), None) if ids not in before)]
                )
        for verdict in verifier.verdicts(document):
            before = changed.get(id(verdict.mention.annotation), ())
            by_finding.setdefault(verdict.finding, Counter())[bool(before)] += 1
            corrected += bool(before) and verdict.finding.is_wrong and set(verdict.suggested) == set(before)
    yield "finding\twrong identifiers\tgold identifiers"
    for finding in Finding:
        if finding in by_finding:
            yield f"{finding}\t{by_finding[finding][True]}\t{by_finding[finding][False]}"
    flagged: Counter[bool] = sum((by_finding[f] for f in by_finding if f.is_wrong), Counter())
    total = sum(each[True] for each in by_finding.values())
    precision = flagged[True] / max(1, flagged.total())
    recall, suggested = flagged[True] / max(1, total), corrected / max(1, total)
    yield f"precision {precision:.4f}\trecall {recall:.4f}\tright suggestion {suggested:.4f}"


if __name__ == "__main__":
    main()
