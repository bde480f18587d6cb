"""`nlmchem corpora pairs`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from corpora.commands.call import Call
from corpora.commands.command import Command
from corpora.commands.options import REQUIRED, group, option
from corpora.commands.progress import Progress
from corpora.commands.result import Result, record
from corpora.commands.shared import overwrite_option, seed_option
from corpora.errors import OptionError
from corpora.tools.commands import CorpusInputs
from sieves.lexicon.options import LexiconOptions

if TYPE_CHECKING:
    from bioc import BioCDocument

    from corpora.storage.owned_files import OwnedFolder
    from nlmchem.companions.pairs.grouping import KnownNames
    from nlmchem.companions.pairs.pair import ContextPair

PARTS = ("train.jsonl", "dev.jsonl", "test.jsonl")
"""The files of pairs without common sentences."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MakeOptions:
    """The options of `nlmchem corpora pairs`."""

    articles: CorpusInputs = group(CorpusInputs)
    out: Path = option(REQUIRED, "Output: .jsonl, or .json in the format of BioWiC.", short="o", metavar="PATH")
    overwrite: bool = overwrite_option()
    most: int = option(500, "Highest number of pairs in each group with each answer.", minimum=1)
    uses: int = option(4, "Highest number of pairs with the same sentence or the same two terms.", minimum=1)
    unbalanced: bool = option(False, "Do not make the numbers of both answers in a group equal.")
    definitions: bool = option(
        False, "Ignore the mentions of the articles; take the short and long forms that they define."
    )
    parts: bool = option(
        False,
        "`out` is a folder; write train, dev and test without common sentences. `most` is for test, dev has half.",
    )
    lexicon: LexiconOptions = group(LexiconOptions)
    seed: int = seed_option()


def make_pairs(options: MakeOptions, progress: Progress) -> Result:
    """Make word-in-context pairs in the four groups of BioWiC, from articles with concept identifiers.

    Synonyms and broader concepts are read from the lexicon. The articles can be a corpus or the output of nlmchem.
    """
    from corpora.storage.owned_files import OwnedFolder
    from nlmchem.companions.pairs import selection
    from nlmchem.companions.pairs.definitions import LongFormNames
    from nlmchem.companions.pairs.names import LexiconNames
    from nlmchem.companions.pairs.occurrences import Occurrences
    from nlmchem.tagging.tokenization.tokens import sentences

    out = options.out
    if options.parts:
        OwnedFolder(out).check(*PARTS)
    elif out.is_dir():
        raise OptionError("out", f"must be a file, but {out} is a folder")
    occurrences = Occurrences(sentences, options.seed)
    for document in _linked(options.articles.documents(progress), options.definitions):
        occurrences.add(document)
    with options.lexicon.open(progress) as lexicon:
        names: KnownNames = LongFormNames() if options.definitions else LexiconNames(lexicon)
        if options.parts:
            made = selection.parts(occurrences, options.most, names)
            return _written({out / name: getattr(made, Path(name).stem) for name in PARTS}, OwnedFolder(out))
        limits = selection.Limits(options.most, options.uses, not options.unbalanced)
        return _written({out: selection.pairs(occurrences, limits, names)})


MAKE = Command("corpora pairs", MakeOptions, make_pairs, Call({"inputs": ["train.xml"], "out": "pairs.jsonl"}))


def _linked(documents: Iterator[BioCDocument], by_definitions: bool) -> Iterator[BioCDocument]:
    """The articles, with their own mentions or with those of defined forms."""
    from corpora.model.document import mentions, remove_mentions
    from nlmchem.companions.pairs.definitions import link_definitions
    from nlmchem.tagging.tokenization.tokens import sentences

    def bare() -> Iterator[BioCDocument]:
        for document in documents:
            for type in {mention.type for mention in mentions(document, None)}:
                remove_mentions(document, type)
            yield document

    return link_definitions(bare(), sentences) if by_definitions else documents


def _written(files: Mapping[Path, Sequence[ContextPair]], folder: OwnedFolder | None = None) -> Result:
    """Write the files, in a folder if there is one. The result is how many pairs each of them has."""
    from collections import Counter

    from corpora.storage.owned_files import write_bytes
    from nlmchem.companions.pairs.files import dumps, dumps_lines

    rows: list[dict[str, Any]] = []
    for file, pairs in files.items():
        content = (dumps if file.suffix == ".json" else dumps_lines)(pairs)
        if folder is None:
            write_bytes(file, content)
        else:
            folder.write_bytes(PurePosixPath(file.name), content)
        counts = sorted(Counter((pair.group, bool(pair.same)) for pair in pairs).items())
        rows += [{"file": str(file), "group": kind, "same": same, "pairs": n} for (kind, same), n in counts]
    lines = ["file\tgroup\tanswer\tpairs"]
    lines += [
        f"{row['file']}\t{row['group']}\t{'same' if row['same'] else 'different'}\t{row['pairs']}" for row in rows
    ]
    result = record({"groups": rows, "files": [str(file) for file in files]}, *lines, files=tuple(files))
    if not rows:
        result.notes.append("no pairs were made: the articles have too few mentions with concepts of both answers")
    return result
