"""`nlmchem corpora pairs`: training data made from corpora."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Annotated, Any

import typer

from corpora.commands.options import option
from nlmchem.cli.old_expand_options import expand_options, writes_file
from nlmchem.cli.shared import (
    CorpusInputsArgument,
    CorpusOption,
    JsonOption,
    LexiconOption,
    SeedOption,
    SplitOption,
    require_file,
)
from nlmchem.commands.progress import warn

if TYPE_CHECKING:
    from bioc import BioCDocument

    from corpora.pairs.grouping import KnownNames
    from corpora.pairs.pair import ContextPair
    from corpora.storage.owned_folder import OwnedFolder

PAIRS_EXAMPLE = "Example: nlmchem corpora pairs train.xml -o pairs.jsonl"
PARTS = ("train.jsonl", "dev.jsonl", "test.jsonl")
"""The files of pairs without common sentences."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """Which pairs are made."""

    most: int = option(500, "Highest number of pairs in each group with each answer.", minimum=1)
    uses: int = option(4, "Highest number of pairs with the same sentence or the same two terms.", minimum=1)
    unbalanced: bool = option(False, "Do not make the numbers of both answers in a group equal.")
    definitions: bool = option(
        False, "Ignore the mentions of the articles; take the short and long forms that they define."
    )
    parts: bool = option(
        False, "OUT is a folder; write train, dev and test without common sentences. --most is for test, dev has half."
    )


@writes_file
@expand_options
def pairs(
    inputs: CorpusInputsArgument,
    out: Annotated[Path, typer.Option("--out", "-o", help="Output: .jsonl, or .json in the format of BioWiC.")],
    pairing: Pairing,
    lexicon: LexiconOption = None,
    seed: SeedOption = 0,
    corpus: CorpusOption = None,
    split: SplitOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make word-in-context pairs in the four groups of BioWiC, from articles with concept identifiers.

    Synonyms and broader concepts are read from the lexicon. The articles can be a corpus or the output of nlmchem.
    """
    from corpora.pairs import selection
    from corpora.pairs.occurrences import Occurrences
    from corpora.storage.owned_folder import OwnedFolder
    from nlmchem.companions.pairs.definitions import LongFormNames
    from nlmchem.companions.pairs.names import LexiconNames
    from nlmchem.tagging.tokenization.sentences import sentences
    from sieves.lexicon.lexicon import Lexicon

    if pairing.parts:
        OwnedFolder(out).check(*PARTS)
    else:
        require_file(out)
    found = Occurrences(sentences, seed)
    for document in _linked(_documents(inputs, corpus, split), pairing.definitions):
        found.add(document)
    with Lexicon.open(lexicon) as opened:
        names: KnownNames = LongFormNames() if pairing.definitions else LexiconNames(opened)
        if pairing.parts:
            made = selection.parts(found, pairing.most, names)
            _write_pairs({out / name: getattr(made, Path(name).stem) for name in PARTS}, as_json, OwnedFolder(out))
        else:
            limits = selection.Limits(pairing.most, pairing.uses, not pairing.unbalanced)
            _write_pairs({out: selection.pairs(found, limits, names)}, as_json)


def _linked(documents: Iterator[BioCDocument], by_definitions: bool) -> Iterator[BioCDocument]:
    """The articles, with their own mentions or with those of defined forms."""
    from corpora.model.document import mentions, remove_mentions
    from nlmchem.companions.pairs.definitions import link_definitions
    from nlmchem.tagging.tokenization.sentences import sentences

    def bare() -> Iterator[BioCDocument]:
        for document in documents:
            for type in {mention.type for mention in mentions(document, None)}:
                remove_mentions(document, type)
            yield document

    return link_definitions(bare(), sentences) if by_definitions else documents


def _write_pairs(files: Mapping[Path, Sequence[ContextPair]], as_json: bool, folder: OwnedFolder | None = None) -> None:
    """Write the files, in a folder if there is one, and print how many pairs each of them has."""
    from collections import Counter

    from corpora.pairs.files import dumps, dumps_lines
    from corpora.storage.owned_files import write_bytes

    rows: list[dict[str, Any]] = []
    for file, made in files.items():
        content = (dumps if file.suffix == ".json" else dumps_lines)(made)
        if folder is None:
            write_bytes(file, content)
        else:
            folder.write_bytes(PurePosixPath(file.name), content)
        counts = sorted(Counter((pair.group, bool(pair.same)) for pair in made).items())
        rows += [{"file": str(file), "group": group, "same": same, "pairs": n} for (group, same), n in counts]
    if not rows:
        warn("no pairs were made: the articles have too few mentions with concepts of both answers")
    if as_json:
        print(json.dumps({"groups": rows, "files": [str(file) for file in files]}))
        return
    print("file\tgroup\tanswer\tpairs")
    for row in rows:
        print(f"{row['file']}\t{row['group']}\t{'same' if row['same'] else 'different'}\t{row['pairs']}")


def _documents(inputs: list[str], corpus: str | None, split: str | None) -> Iterator[BioCDocument]:
    from corpora.datasets.registry import documents

    return documents(inputs, corpus, split, warn)
