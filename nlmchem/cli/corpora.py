"""`nlmchem corpora`: what can be read, how much there is of it, and what is made of it."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from bioc import BioCDocument

    from corpora.datasets.fingerprints import Fingerprint

app = typer.Typer(
    help="Corpora: list, read, convert, split, compare, and make new resources of them.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

InputsArgument = Annotated[
    list[str],
    typer.Argument(metavar="INPUT...", help="Files, folders, globs, archives; with --corpus: folders of that corpus."),
]
CorpusOption = Annotated[str | None, typer.Option("--corpus", help="Read INPUT as this corpus (`corpora list`).")]
SplitOption = Annotated[str | None, typer.Option("--split", help="One split of the corpus. [default: all]")]
OutOption = Annotated[Path, typer.Option("--out", "-o", help="Output file.")]
FormatOption = Annotated[
    str | None, typer.Option(help="biocxml, biocjson, jsonl, pubtator or tsv. [default: by the suffix]")
]
SeedOption = Annotated[int, typer.Option(help="The same seed gives the same result.")]
LexiconOption = Annotated[str | None, typer.Option(help="A lexicon (.sqlite or .tsv) in place of the starter lexicon.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


@app.command("list", epilog="Example: nlmchem corpora list")
def list_(as_json: JsonOption = False) -> None:
    """Every corpus that can be read."""
    from corpora.datasets import cards

    if as_json:
        print(json.dumps([_card_value(name) for name in cards()], indent=1))
        return
    for card in cards().values():
        print(f"{card.name:18} {card.kind:18} {card.title}")


@app.command("info", epilog="Example: nlmchem corpora info bc5cdr downloads/bc5cdr")
def info(
    name: Annotated[str, typer.Argument(help="A corpus (`corpora list`).")],
    folder: Annotated[Path | None, typer.Argument(help="Where it is: says what is there of it.")] = None,
    as_json: JsonOption = False,
) -> None:
    """The data card of a corpus: source, licence, counts, citation."""
    from corpora.datasets import open_corpus

    value = _card_value(name)
    if folder is not None:
        corpus = open_corpus(name, folder)
        value["found"] = {"form": corpus.form.name, "splits": list(corpus.splits)}
    if as_json:
        print(json.dumps(value, indent=1))
        return
    for key, said in value.items():
        if said:
            print(f"{key}: {said if isinstance(said, str) else json.dumps(said)}")


@app.command("stats", epilog="Example: nlmchem corpora stats bc5cdr downloads/bc5cdr")
def stats(
    name: Annotated[str, typer.Argument(help="A corpus (`corpora list`).")],
    folder: Annotated[Path, typer.Argument(help="Where it is.")],
    split: SplitOption = None,
    as_json: JsonOption = False,
) -> None:
    """Count what a corpus holds, check every offset, and compare with its card; exit code 3 where they differ."""
    from corpora.datasets import open_corpus
    from corpora.datasets.statistics import compare, measure

    corpus = open_corpus(name, folder)
    counted: dict[str, dict[str, int]] = {}
    differences: list[str] = []
    for part in [split] if split is not None else list(corpus.form.splits):
        counted[part] = measure(corpus.read(part, _warn))
        differences += compare(corpus.card, part, counted[part])
    if as_json:
        print(json.dumps({"corpus": name, "splits": counted, "differences": differences}, indent=1))
    else:
        for part, counts in counted.items():
            for what, number in counts.items():
                print(f"{part}\t{what}\t{number}")
    for sentence in differences:
        _warn(sentence)
    if differences:
        raise typer.Exit(3)


@app.command("convert", epilog="Example: nlmchem corpora convert drugprot downloads/drugprot -o drugprot.xml.gz")
def convert(
    name: Annotated[str, typer.Argument(help="A corpus of articles (`corpora list`).")],
    folder: Annotated[Path, typer.Argument(help="Where it is.")],
    out: OutOption,
    split: SplitOption = None,
    format: FormatOption = None,
    index: Annotated[
        list[str] | None, typer.Option(help="MEDLINE/PubMed XML with the index terms to join, by PMID.")
    ] = None,
    sections: Annotated[bool, typer.Option("--sections", help="Derive sections from headings.")] = False,
    lexicon: Annotated[str | None, typer.Option(help="Check the ids against this lexicon.")] = None,
    replaced: Annotated[
        Path | None, typer.Option(help="Lines `old<TAB>new` of ids of another MeSH year: mentions get the new ones.")
    ] = None,
) -> None:
    """Write a corpus in any format: one spelling of ids, known faults mended; index terms and sections on wish."""
    from corpora.datasets.identifier_check import IdentifierCheck, check_identifiers
    from corpora.datasets.medline_index import add_index, index_of, pmid_of
    from corpora.datasets.sources import documents
    from corpora.model.sections import add_sections
    from corpora.writing import write

    found = documents([str(folder)], name, split, _warn)
    if index:
        # MEDLINE has tens of millions of citations: only those of the corpus are kept.
        wanted = frozenset(pmid_of(document) for document in documents([str(folder)], name, split, _unheard))
        found = add_index(found, index_of(index, wanted, report=_warn), _warn)
    check = IdentifierCheck()
    known = _known_ids(lexicon) if lexicon is not None else None
    successors = _successors(replaced) if replaced is not None else {}

    def enriched() -> Iterator[BioCDocument]:
        for document in found:
            if sections:
                add_sections(document)
            if known is not None or successors:
                check_identifiers(document, (known or frozenset()).__contains__, successors, check, rewrite=True)
            yield document

    number = write(enriched(), out, format, report=_warn)
    if known is None:
        check.unknown.clear()
    for sentence in check.sentences():
        _warn(f"{name}: {sentence}")
    print(f"wrote {number} articles of {name} to {out}")


@app.command("split", epilog="Example: nlmchem corpora split corpus.xml -o parts/ --shares train=0.8,dev=0.1,test=0.1")
def split_(
    inputs: InputsArgument,
    out: Annotated[Path, typer.Option("--out", "-o", help="Output folder: one file a part.")],
    shares: Annotated[str, typer.Option(help="Parts and their shares.")] = "train=0.8,dev=0.1,test=0.1",
    folds: Annotated[int | None, typer.Option(help="Folds of equal size in place of parts.", min=2)] = None,
    seed: SeedOption = 0,
    corpus: CorpusOption = None,
    split: SplitOption = None,
    format: Annotated[str, typer.Option(help="biocxml, biocjson, jsonl or pubtator.")] = "biocxml",
) -> None:
    """Split articles, always alike; copies of an article (by id, DOI, text) stay together."""
    from corpora.datasets.fingerprints import fingerprint
    from corpora.datasets.sources import documents
    from corpora.datasets.splits import folds as fold_of
    from corpora.datasets.splits import split as part_of
    from corpora.formats import registry
    from corpora.writing import write

    prints = [fingerprint(document) for document in documents(inputs, corpus, split, _warn)]
    if folds is not None:
        parts = [f"fold-{number + 1}" for number in fold_of(prints, folds, seed)]
    else:
        parts = part_of(prints, _shares(shares), seed)
    suffix = registry.suffix_of(format)
    for part in sorted(set(parts)):
        # Read once for each part: no more than one article is in memory.
        again = documents(inputs, corpus, split, _unheard)
        members = (document for document, its in zip(again, parts, strict=True) if its == part)
        print(f"{part}\t{write(members, out / f'{part}{suffix}', format, report=_warn)}")


@app.command("leaks", epilog="Example: nlmchem corpora leaks train.xml test.xml")
def leaks_(
    left: Annotated[str, typer.Argument(help="Files of one side, or NAME=FOLDER for a corpus, NAME/SPLIT=FOLDER.")],
    right: Annotated[str, typer.Argument(help="The other side.")],
    as_json: JsonOption = False,
) -> None:
    """Find the same article on both sides, by id, DOI or near-identical text; exit code 3 where there is one."""
    from corpora.datasets.fingerprints import describe, leaks

    found = leaks(_fingerprints(left), _fingerprints(right))
    if as_json:
        rows = [
            {"left": leak.left, "right": leak.right, "by": leak.by, "share": round(leak.share, 4)} for leak in found
        ]
        print(json.dumps(rows, indent=1))
    else:
        for leak in found:
            print(f"{leak.left}\t{leak.right}\t{leak.by}\t{leak.share:.4f}")
    print(describe(found, left, right), file=sys.stderr)
    if found:
        raise typer.Exit(3)


@app.command("augment", epilog="Example: nlmchem corpora augment train.xml -o synthetic.xml --mode synonym,random")
def augment(
    inputs: InputsArgument,
    out: OutOption,
    mode: Annotated[str, typer.Option(help="synonym, other, random; several joined by commas.")] = "synonym",
    copies: Annotated[int, typer.Option(help="Synthetic copies of each article, by mode.", min=1)] = 1,
    rate: Annotated[float, typer.Option(help="Share of distinct mentions to replace, above 0 to 1.")] = 1.0,
    lexicon: LexiconOption = None,
    seed: SeedOption = 0,
    corpus: CorpusOption = None,
    split: SplitOption = None,
    format: FormatOption = None,
) -> None:
    """Make synthetic training articles: gold mentions replaced by other names, offsets kept right."""
    from corpora.writing import write
    from nlmchem.tagging.training.replacement import Augmenter, Names
    from sieves.lexicon.lexicon import Lexicon

    with Lexicon.open(lexicon) as opened:
        names = Names.of(opened.names(), opened.version)
    augmenters = [Augmenter(one.strip(), names, seed, rate) for one in mode.split(",")]
    replaced = 0

    def made() -> Iterator[BioCDocument]:
        nonlocal replaced
        for document in _documents(inputs, corpus, split):
            for augmenter in augmenters:
                for copy in range(1, copies + 1):
                    synthetic, number = augmenter(document, copy)
                    replaced += number
                    yield synthetic

    number = write(made(), out, format, report=_warn)
    print(f"wrote {number} synthetic articles with {replaced} replaced mentions to {out}")


@app.command("dictionary", epilog="Example: nlmchem corpora dictionary articles/ -o acronyms/ --samples")
def dictionary(
    inputs: InputsArgument,
    out: Annotated[Path, typer.Option("--out", "-o", help="Output folder.")],
    samples: Annotated[bool, typer.Option("--samples", help="Write samples for disambiguation too.")] = False,
    least: Annotated[int, typer.Option(help="Articles that must define a sense.", min=1)] = 1,
    limit: Annotated[int | None, typer.Option(help="Stop after so many articles.", min=1)] = None,
    seed: SeedOption = 0,
    corpus: CorpusOption = None,
    split: SplitOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make an acronym dictionary, with popularity, of what articles define; and samples of ambiguous acronyms."""
    from dataclasses import asdict

    from nlmchem.abbreviations import define
    from nlmchem.abbreviations.dictionary import make, observations
    from nlmchem.tagging.tokenization.sentences import sentences

    found = islice(_documents(inputs, corpus, split), limit)
    defined = observations(found, lambda document: define(document).definitions, sentences if samples else None)
    summary = make(_shown(defined), out, samples, seed, least)
    if as_json:
        print(json.dumps({**asdict(summary), "out": str(out)}))
    else:
        print(
            f"{summary.articles} articles ({summary.defining} with definitions), {summary.pairs} pairs; "
            f"{summary.short_forms} short forms with {summary.long_forms} long forms ({summary.merged} merged), "
            f"{summary.ambiguous} ambiguous; {summary.samples} samples; results in {out}"
        )


@app.command("pairs", epilog="Example: nlmchem corpora pairs train.xml -o pairs.json")
def pairs_(
    inputs: InputsArgument,
    out: OutOption,
    most: Annotated[int, typer.Option(help="Pairs of a group with one answer, at the most.", min=1)] = 500,
    seed: SeedOption = 0,
    corpus: CorpusOption = None,
    split: SplitOption = None,
) -> None:
    """Make word-in-context pairs in BioWiC's four groups of articles whose mentions have concept ids."""
    from collections import Counter

    from corpora.datasets.context_pairs import dumps
    from corpora.datasets.pairing import Contexts, pairs
    from corpora.storage.atomic import write_bytes
    from nlmchem.tagging.tokenization.sentences import sentences

    contexts = Contexts(sentences, seed)
    for document in _documents(inputs, corpus, split):
        contexts.add(document)
    made = pairs(contexts, most)
    write_bytes(out, dumps(made))
    for (group, same), number in sorted(Counter((pair.group, pair.same) for pair in made).items()):
        print(f"{group}\t{'same' if same else 'different'}\t{number}")


def _documents(inputs: list[str], corpus: str | None, split: str | None) -> Iterator[BioCDocument]:
    from corpora.datasets.sources import documents

    return documents(inputs, corpus, split, _warn)


def _card_value(name: str) -> dict[str, Any]:
    from corpora.datasets import card

    known = card(name)
    texts = {key: getattr(known, key) for key in ("name", "title", "kind", "source", "licence", "use", "citation")}
    forms = {form.name: list(form.splits) for form in known.forms}
    return {**texts, "notes": known.notes, "forms": forms, "counts": dict(known.counts)}


def _fingerprints(side: str) -> Iterator[Fingerprint]:
    """`NAME=FOLDER` or `NAME/SPLIT=FOLDER` is a corpus, anything else a path."""
    from corpora.datasets import cards
    from corpora.datasets.fingerprints import fingerprint
    from corpora.datasets.sources import documents

    given, _, folder = side.partition("=")
    name, _, part = given.partition("/")
    if folder and name in cards():
        found = documents([folder], name, part or None, _unheard)
    else:
        found = documents([side], report=_unheard)
    return map(fingerprint, found)


def _shares(text: str) -> dict[str, float]:
    from corpora.errors import ConfigurationError

    try:
        return {part.strip(): float(share) for part, share in (item.split("=") for item in text.split(","))}
    except ValueError:
        raise ConfigurationError(f"--shares is {text!r}; write parts and shares such as train=0.8,test=0.2") from None


def _known_ids(lexicon: str) -> frozenset[str]:
    from sieves.lexicon.lexicon import Lexicon

    with Lexicon.open(lexicon) as opened:
        return frozenset(identifier for _, joined in opened.names() for identifier in joined.split(","))


def _successors(path: Path) -> dict[str, str]:
    from corpora.errors import ConfigurationError

    try:
        rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
        return {old.strip(): new.strip() for old, new in rows}
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"{path} does not hold lines `old<TAB>new` of ids ({error}); mend it") from error


def _shown(items: Iterator[Any]) -> Iterator[Any]:
    """The same items, with a bar on a terminal."""
    if not sys.stderr.isatty():
        return items
    from tqdm import tqdm

    return iter(tqdm(items, unit=" articles", file=sys.stderr))


def _warn(sentence: str) -> None:
    print(f"nlmchem: {sentence}", file=sys.stderr)


def _unheard(sentence: str) -> None:
    """What is told when the same files are read for the second time."""
